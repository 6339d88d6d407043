//go:build tabula_page

package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Page returns the files of the page and true, as this program was built with
// them.
func Page() (files fs.FS, built bool) {
	files, err := fs.Sub(dist, "dist")
	return files, err == nil
}
