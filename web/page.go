// Package web serves the page of tabula serve and the page of a farm. The program has both
// in it, as make web builds and packs them.
package web

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the two files
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed zpage.zip
var page string

//go:embed zfarm.zip
var farm string

// Page returns a handler for the files of the page of tabula serve.
func Page() http.Handler { return handler(page) }

// Farm returns a handler for the files of the page of a farm.
func Farm() http.Handler { return handler(farm) }

// Notices returns the licences of the packages in the page of tabula serve.
func Notices() []byte {
	text, err := fs.ReadFile(open(page), "THIRD-PARTY-NOTICES.txt")
	if err != nil {
		panic(err) // it is in the program
	}
	return text
}

// open opens a zip archive that is in the program.
func open(archive string) *zip.Reader {
	files, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err)
	}
	return files
}

// pageFile is a file of a page. Clients that accept gzip get the bytes of the archive.
type pageFile struct {
	*zip.File
	tag string // differs where the text differs
}

// handler serves the files of a zip archive. Browsers keep the files below assets/, whose names change with
// their text, and ask each time whether the others are still the same.
func handler(archive string) http.Handler {
	files := map[string]pageFile{}
	for _, f := range open(archive).File {
		text, err := read(f.Open())
		if err != nil {
			panic(err)
		}
		files[f.Name] = pageFile{f, fmt.Sprintf("%x", sha256.Sum256(text))[:24]}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := cmp.Or(strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/"), "index.html")
		f, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", cmp.Or(kinds[path.Ext(name)], "application/octet-stream"))
		h.Set("Cache-Control", "no-cache")
		if strings.HasPrefix(name, "assets/") {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		h.Set("Vary", "Accept-Encoding")
		data, err := read(f.Open())
		tag := f.tag
		accepted := strings.FieldsFunc(r.Header.Get("Accept-Encoding"), func(c rune) bool { return c == ',' || c == ' ' })
		if slices.Contains(accepted, "gzip") {
			h.Set("Content-Encoding", "gzip")
			tag += "-gzip"
			data, err = f.gzip()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h.Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	})
}

// gzip returns the file as gzip packs it: a zip archive holds the same deflated bytes
// between another head and another end. Source: RFC 1952.
func (f pageFile) gzip() ([]byte, error) {
	raw, err := f.OpenRaw()
	if err != nil {
		return nil, err
	}
	data, err := read(io.NopCloser(raw), nil)
	data = slices.Concat([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}, data)
	data = binary.LittleEndian.AppendUint32(data, f.CRC32)
	return binary.LittleEndian.AppendUint32(data, uint32(f.UncompressedSize64)), err
}

// read reads what was opened and closes it.
func read(r io.ReadCloser, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// kinds has the types of files by the ends of their names. Those that the system has for them may be wrong.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml",
	".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
}
