//go:build !js && !wasip1

package serve

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// newPage serves the page's files, texts compressed. Browsers ask each time whether a file is still
// the same, but for those whose name changes with what is in them.
func newPage(files fs.FS) http.Handler {
	var tags, packed sync.Map // name -> ETag, bytes by gzip
	serve := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		if info, err := fs.Stat(files, name); err == nil && info.IsDir() {
			http.NotFound(w, r) // no lists of files
			return
		}
		tag, known := tags.Load(name)
		if !known {
			if data, err := fs.ReadFile(files, name); err == nil {
				sum := sha256.Sum256(data)
				tag = `"` + hex.EncodeToString(sum[:12]) + `"`
				tags.Store(name, tag)
				known = true
			}
		}
		h := w.Header()
		if known {
			h.Set("ETag", tag.(string))
		}
		h.Set("Cache-Control", "no-cache")
		if strings.HasPrefix(name, "assets/") {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		kind, ok := kinds()[path.Ext(name)]
		if ok {
			h.Set("Content-Type", kind)
		}
		if !compressible(kind) {
			serve.ServeHTTP(w, r)
			return
		}
		h.Set("Vary", "Accept-Encoding")
		data, ok := packed.Load(name)
		if !ok && known {
			data = compress(files, name)
			packed.Store(name, data)
		}
		if b, _ := data.([]byte); len(b) > 0 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			h.Set("ETag", strings.TrimSuffix(h.Get("ETag"), `"`)+`-gzip"`)
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(b))
			return
		}
		serve.ServeHTTP(w, r)
	})
}

// compressible reports whether files of a type are texts.
func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/") || kind == "image/svg+xml" || strings.HasPrefix(kind, "application/manifest")
}

// compress returns a file by gzip, nil where it cannot be read.
func compress(files fs.FS, name string) []byte {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		return nil
	}
	if err := w.Close(); err != nil {
		return nil
	}
	return b.Bytes()
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
