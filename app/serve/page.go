//go:build !js && !wasip1

package serve

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// file is a file of the page.
type file struct {
	data, packed []byte // packed by gzip; nil where it is no text
	tag          string
}

// newPage serves the page's files, texts compressed. Browsers ask each time whether a file
// is still the same, but for those whose name changes with what is in them.
func newPage(files fs.FS) http.Handler {
	all := map[string]file{}
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error { // they are in the program
		if err == nil && !entry.IsDir() {
			var data []byte
			if data, err = fs.ReadFile(files, name); err == nil {
				all[name] = newFile(name, data)
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
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				h.Set("Content-Encoding", "gzip")
				data, tag = f.packed, tag+"-gzip"
			}
		}
		h.Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	})
}

// newFile returns a file as it is served.
func newFile(name string, data []byte) file {
	sum := sha256.Sum256(data)
	f := file{data: data, tag: hex.EncodeToString(sum[:12])}
	if kind := kinds()[path.Ext(name)]; strings.HasPrefix(kind, "text/") || kind == "image/svg+xml" || strings.HasPrefix(kind, "application/manifest") {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(data)
		if errors.Join(err, w.Close()) == nil {
			f.packed = packed.Bytes()
		}
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
