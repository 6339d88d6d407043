//go:build !js && !wasip1

package serve

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file of the page.
type file struct {
	data   []byte
	packed []packed // what it may travel as instead, the best first
	tag    string
}

// packed is what a file is by an encoding of HTTP.
type packed struct {
	encoding string
	data     []byte
}

// newPage serves the page's files, packed for clients that take it. Browsers ask each time whether a file
// is still the same, but for those whose name changes with what is in them.
func newPage(files fs.FS) http.Handler {
	all := map[string]file{}
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error { // they are in the program
		if err == nil && !entry.IsDir() {
			var data []byte
			if data, err = fs.ReadFile(files, name); err == nil && path.Ext(name) != ".br" {
				brotli, _ := fs.ReadFile(files, name+".br") // web/brotli.mjs wrote it, where it is smaller
				all[name] = newFile(data, brotli)
			}
		}
		return err
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := cmp.Or(strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/"), "index.html")
		f, ok := all[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", cmp.Or(kinds()[path.Ext(name)], "application/octet-stream"))
		h.Set("Cache-Control", "no-cache")
		if strings.HasPrefix(name, "assets/") {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		data, tag := f.data, f.tag
		if f.packed != nil {
			h.Set("Vary", "Accept-Encoding")
		}
		accepted := strings.FieldsFunc(r.Header.Get("Accept-Encoding"), func(c rune) bool { return c == ',' || c == ' ' })
		for _, p := range f.packed {
			if slices.Contains(accepted, p.encoding) {
				h.Set("Content-Encoding", p.encoding)
				data, tag = p.data, tag+"-"+p.encoding
				break
			}
		}
		h.Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	})
}

// newFile returns a file as it is served; brotli is what brotli makes of it, empty for
// files that it makes no smaller, which gzip does not either.
func newFile(data, brotli []byte) file {
	sum := sha256.Sum256(data)
	f := file{data: data, tag: hex.EncodeToString(sum[:12])}
	if len(brotli) > 0 {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, _ = w.Write(data) // into memory
		_ = w.Close()
		f.packed = []packed{{"br", brotli}, {"gzip", zipped.Bytes()}}
	}
	return f
}

// kinds returns the types of files, which else would be those that the system has
// for them.
func kinds() map[string]string {
	return map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".mjs": "text/javascript; charset=utf-8", ".json": "application/json", ".webmanifest": "application/manifest+json",
		".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".wasm": "application/wasm",
		".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
	}
}

// missing is what a program without the page says instead.
const missing = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tabula</title>
<body><h1>Tabula</h1>
<p>This program was built without the page. In the source, <code>make web</code> builds it, with Node and npm:
the program that comes of it has the page here. Released programs have it too.</p>
<p>The API answers all the same: <code>POST /api/hello</code>, and messages at <code>/api/socket</code>.
<code>docs/web.md</code> describes them.</p>
</body></html>
`

// missingPage says how to get the page.
func missingPage() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kinds()[".html"])
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte(missing)) // the client may be gone
	})
}
