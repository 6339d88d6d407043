//go:build !js && !wasip1

package serve

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tabula-chess/tabula/internal/must"
)

// Browsers keep what has a name of its own, and ask whether the rest is still the same;
// the page that says there is none is not kept.
func TestPage(t *testing.T) {
	page := newPage(fstest.MapFS{
		"index.html": {Data: []byte("<p>index")}, "assets/a-1.js": {Data: []byte("js")}, "engine/tabula.wasm": {Data: []byte("wasm")},
	})
	const ask, keep, html = "no-cache", "public, max-age=31536000, immutable", "text/html; charset=utf-8"
	for _, tt := range []struct {
		page              http.Handler
		path              string
		status            int
		cache, kind, body string
	}{
		{page, "/", 200, ask, html, "<p>index"},
		{page, "/assets/a-1.js", 200, keep, "text/javascript; charset=utf-8", "js"},
		{page, "/engine/tabula.wasm", 200, ask, "application/wasm", "wasm"},
		{page, "/assets/", 404, "", "", ""},
		{page, "/engine", 404, "", "", ""},
		{page, "/other.js", 404, "", "", ""},
		{missingPage(), "/", 200, "no-store", html, missing},
		{missingPage(), "/index.html", 404, "", "", ""},
	} {
		get := func(tag string) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", tt.path, nil)
			if tag != "" {
				r.Header.Set("If-None-Match", tag)
			}
			tt.page.ServeHTTP(w, r)
			return w
		}
		w := get("")
		h := w.Header()
		if w.Code != tt.status {
			t.Errorf("%s: status %d, want %d", tt.path, w.Code, tt.status)
		}
		if tt.status != 200 {
			continue
		}
		if h.Get("Cache-Control") != tt.cache || h.Get("Content-Type") != tt.kind || w.Body.String() != tt.body {
			t.Errorf("%s: %v, %q", tt.path, h, w.Body)
		}
		tag := h.Get("ETag")
		if (tag != "") != (tt.cache != "no-store") {
			t.Errorf("%s: tag %q", tt.path, tag)
		}
		if again := get(tag); tag != "" && again.Code != http.StatusNotModified {
			t.Errorf("%s: status %d for what is there already", tt.path, again.Code)
		}
	}
	tagOf := func(text string) string {
		w := httptest.NewRecorder()
		newPage(fstest.MapFS{"index.html": {Data: []byte(text)}}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return w.Header().Get("ETag")
	}
	if tagOf("a") == tagOf("b") {
		t.Error("other text, the same tag")
	}
}

// Files travel packed to browsers that take it: by brotli, which was made with the page, or
// else by gzip.
func TestPageCompressed(t *testing.T) {
	text := strings.Repeat("text ", 1000)
	page := newPage(fstest.MapFS{
		"assets/a-1.js": {Data: []byte(text)}, "assets/a-1.js.br": {Data: []byte("brotli")}, "icon.png": {Data: []byte(text)},
	})
	for _, tt := range []struct{ path, accept, encoding string }{
		{"/assets/a-1.js", "gzip, deflate, br", "br"},
		{"/assets/a-1.js", "gzip, deflate", "gzip"},
		{"/assets/a-1.js", "", ""},
		{"/icon.png", "gzip, br", ""},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", tt.path, nil)
		r.Header.Set("Accept-Encoding", tt.accept)
		page.ServeHTTP(w, r)
		body, want := io.Reader(w.Body), text
		switch tt.encoding {
		case "br":
			want = "brotli"
		case "gzip":
			if w.Body.Len() > len(text)/10 {
				t.Errorf("%s: %d bytes of %d", tt.path, w.Body.Len(), len(text))
			}
			var err error
			body, err = gzip.NewReader(w.Body)
			must.Succeed(t, err)
		}
		got, err := io.ReadAll(body)
		if h := w.Header().Get("Content-Encoding"); h != tt.encoding || string(got) != want || err != nil {
			t.Errorf("%s, accepting %q: encoding %q, %d bytes, %v", tt.path, tt.accept, h, len(got), err)
		}
	}
}

// TestSocketSources names a page's own sockets, and nothing that would be more than a host.
func TestSocketSources(t *testing.T) {
	for _, host := range []string{"localhost:8080", "127.0.0.1", "[::1]:80", "Chess-1.Example:443"} {
		if got, want := socketSources(host), "ws://"+host+" wss://"+host; got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
		for _, bad := range []string{" ", ";", ",", "*", "'", "/", "_", "é", "\n"} {
			if got := socketSources(host + bad + "x"); got != "" {
				t.Errorf("%q: %q, want none", host+bad+"x", got)
			}
		}
	}
}
