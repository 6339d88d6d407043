//go:build !tabula_page

package web

import "io/fs"

// Page returns the files of the page, nil and false where the program was built
// without them: with the tag tabula_page it has what make web has made.
func Page() (files fs.FS, built bool) { return nil, false }
