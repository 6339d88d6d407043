//go:build !tabula_page

package games

import (
	"errors"
	"io"
)

// zstdReader refuses: the decoder is part of the program with the page.
func zstdReader(io.Reader) (io.Reader, error) {
	return nil, errors.New("this program was built without zstd; zstd -dc FILE | tabula games import -")
}
