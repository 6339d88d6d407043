//go:build !js

package serve

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/tabula-chess/tabula/app/session"
	hosts "github.com/tabula-chess/tabula/internal/guard"
)

// guard refuses forbidden requests and passes the others to next. names are the server's, beside localhost and the
// addresses of this machine.
//
// A foreign web page may make the browser of a user send requests to the server. The Origin header
// identifies such a page, if the browser sends one. If the page's host name resolves to this
// machine (DNS rebinding), the Host header identifies it: only addresses, localhost and allowed
// names are answered.
func guard(next http.Handler, names []string) http.Handler {
	misnamed := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusMisdirectedRequest, "Host", "this host name is not allowed; --host allows it")
	})
	known := hosts.Hosts(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") && !sameOrigin(r) {
			refuse(w, http.StatusForbidden, "Origin", "requests from other sites are refused")
			return
		}
		next.ServeHTTP(w, r)
	}), misnamed, true, names...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w, r)
		known.ServeHTTP(w, r)
	})
}

// headers sets the headers of every answer: the page loads nothing from elsewhere, and no other site
// may show it in a frame.
func headers(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "+
		"img-src 'self'; manifest-src 'self'; worker-src 'self'; connect-src 'self' "+socketSources(r.Host)+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
}

// socketSources names the page's own sockets, for browsers that do not include them in 'self'.
func socketSources(host string) string {
	for _, r := range host {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]", r) {
			return ""
		}
	}
	return "ws://" + host + " wss://" + host
}

// sameOrigin reports whether a request comes from the server's own page or not from a browser.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if err != nil || len(origins) != 1 || !strings.EqualFold(u.Host, r.Host) {
		return false
	}
	return u.Scheme == "http" || u.Scheme == "https" // of a proxy
}

// refuse answers with an error in the format of the messages.
func refuse(w http.ResponseWriter, status int, field, reason string) {
	data, _ := json.Marshal(session.Reply{ID: json.RawMessage("null"),
		Error: &session.Error{Field: field, Reason: reason}})
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client may be gone
}
