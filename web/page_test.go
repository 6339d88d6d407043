package web

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// archive returns a zip archive of files.
func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		kit.Succeed(t, err)
		_, err = io.WriteString(w, text)
		kit.Succeed(t, err)
	}
	kit.Succeed(t, z.Close())
	return b.String()
}

// ask sends a request with one header.
func ask(h http.Handler, path, key, value string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
	r.Header.Set(key, value)
	h.ServeHTTP(w, r)
	return w
}

// TestHandler serves files to clients that accept gzip and to others. Browsers keep the files whose names change
// with their text, and ask whether the others are still the same.
func TestHandler(t *testing.T) {
	script := strings.Repeat("text ", 1000)
	page := handler(archive(t, map[string]string{
		"index.html": "<p>index", "assets/a-1.js": script, "engine/tabula": "engine", "icon.svg": "",
	}))
	const asked, kept, html = "no-cache", "public, max-age=31536000, immutable", "text/html; charset=utf-8"
	for _, tt := range []struct{ path, cache, kind, text string }{
		{"/", asked, html, "<p>index"},
		{"/assets/../index.html", asked, html, "<p>index"},
		{"/assets/a-1.js", kept, "text/javascript; charset=utf-8", script},
		{"/engine/tabula", asked, "application/octet-stream", "engine"},
		{"/icon.svg", asked, "image/svg+xml", ""},
	} {
		tags := map[string]bool{}
		for _, accepted := range []string{"gzip, deflate, br", "deflate, gzip", "br", "", "gzip;q=0"} {
			w := ask(page, tt.path, "Accept-Encoding", accepted)
			h, body := w.Header(), io.Reader(w.Body)
			if packed := strings.HasSuffix(accepted, "gzip") || strings.HasPrefix(accepted, "gzip,"); packed != (h.Get("Content-Encoding") == "gzip") {
				t.Errorf("%s, accepting %q: %v", tt.path, accepted, h)
			} else if packed {
				if len(tt.text) > 1000 && w.Body.Len() > len(tt.text)/10 {
					t.Errorf("%s: %d bytes of %d", tt.path, w.Body.Len(), len(tt.text))
				}
				z, err := gzip.NewReader(body)
				kit.Succeed(t, err)
				body = z
			}
			text, err := io.ReadAll(body) // by gzip, with its checksum
			if w.Code != 200 || err != nil || string(text) != tt.text || h.Get("Content-Type") != tt.kind ||
				h.Get("Cache-Control") != tt.cache || h.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s, accepting %q: status %d, %v, %v, %.20q", tt.path, accepted, w.Code, err, h, text)
			}
			tags[h.Get("ETag")] = true
		}
		if len(tags) != 2 {
			t.Errorf("%s: tags %v, want one for the text and one for what is packed", tt.path, tags)
		}
		for tag := range tags {
			if w := ask(page, tt.path, "If-None-Match", tag); strings.HasSuffix(tag, `-gzip"`) != (w.Code == 200) {
				t.Errorf("%s: status %d for %s", tt.path, w.Code, tag)
			}
		}
	}
	for _, path := range []string{"/assets/", "/engine", "/other.js", "/index.html/x"} {
		if w := ask(page, path, "Accept-Encoding", "gzip"); w.Code != 404 || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: status %d, %v", path, w.Code, w.Header())
		}
	}
	a, b := handler(archive(t, map[string]string{"index.html": "a"})), handler(archive(t, map[string]string{"index.html": "b"}))
	if tag := ask(a, "/", "", "").Header().Get("ETag"); tag == ask(b, "/", "", "").Header().Get("ETag") {
		t.Errorf("two texts with the tag %s", tag)
	}
}

// TestPages asks for the pages in the program and for all that they load at the start.
func TestPages(t *testing.T) {
	for name, page := range map[string]http.Handler{"page": Page(), "farm": Farm()} {
		html := ask(page, "/", "", "").Body.String()
		if !strings.Contains(html, "<title>Tabula") {
			t.Errorf("%s: %s", name, html)
		}
		loaded := 0
		for _, part := range strings.Split(html, `"./`)[1:] {
			path, _, _ := strings.Cut(part, `"`)
			if w := ask(page, "/"+path, "", ""); w.Code != 200 || w.Body.Len() == 0 {
				t.Errorf("%s: %s has status %d", name, path, w.Code)
			}
			loaded++
		}
		if loaded < 2 {
			t.Errorf("%s loads %d files, want a script and a style at least", name, loaded)
		}
	}
	if !strings.Contains(string(Notices()), "MIT License") {
		t.Errorf("notices: %.200s", Notices())
	}
}
