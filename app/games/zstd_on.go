//go:build tabula_page

package games

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdReader returns the text of a file that zstd has packed.
func zstdReader(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
}
