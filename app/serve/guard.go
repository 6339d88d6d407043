//go:build !js

package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/tabula-chess/tabula/app/session"
	hosts "github.com/tabula-chess/tabula/internal/guard"
)

// guard decides which requests are answered.
//
// A foreign web page may make the browser of a user send requests to the server. The Origin header
// identifies such a page, if the browser sends one. If the page's host name resolves to this
// machine (DNS rebinding), the Host header identifies it: only addresses, localhost and allowed
// names are answered.
type guard struct {
	local  bool     // only this machine can connect
	hosts  []string // other allowed names
	token  [32]byte // hash of the token
	asks   bool     // there is a token
	cookie string   // name of the cookie that replaces the token
	value  string   // its value, different after each start
}

// newGuard returns the guard of a server that listens at an address.
func newGuard(s *settings, address *net.TCPAddr) *guard {
	return &guard{
		local: address.IP.IsLoopback(), hosts: s.hosts, token: sha256.Sum256([]byte(s.token)), asks: s.token != "",
		// Cookies do not depend on the port: two servers must not mix them up.
		cookie: fmt.Sprintf("tabula-%d", address.Port), value: rand.Text(),
	}
}

// wrap refuses forbidden requests and passes the others to next.
func (g *guard) wrap(next http.Handler) http.Handler {
	misnamed := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusMisdirectedRequest, "Host", "this host name is not allowed; --host allows it")
	})
	known := hosts.Hosts(g.answer(next), misnamed, g.local, g.hosts...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w, r)
		known.ServeHTTP(w, r)
	})
}

// answer is wrap for requests with an allowed host name.
func (g *guard) answer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api := strings.HasPrefix(r.URL.Path, "/api/")
		switch {
		case api && !g.sameOrigin(r):
			refuse(w, http.StatusForbidden, "Origin", "requests from other sites are refused")
		case !api && r.URL.Query().Has("token"):
			g.admit(w, r)
		case api && !g.known(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "Authorization", "want the token, or the cookie of a page opened with it")
		default:
			next.ServeHTTP(w, r)
		}
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
func (g *guard) sameOrigin(r *http.Request) bool {
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
	// A proxy before this server may use TLS.
	return u.Scheme == "https" || u.Scheme == "http" && r.TLS == nil
}

// known reports whether a request has the token or the cookie, or needs none.
func (g *guard) known(r *http.Request) bool {
	if !g.asks {
		return true
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return g.right(strings.TrimLeft(token, " "))
	}
	c, err := r.Cookie(g.cookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.value)) == 1
}

// right compares a token in constant time, whatever its length.
func (g *guard) right(token string) bool {
	hash := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(hash[:], g.token[:]) == 1
}

// admit handles a request with the token in the address: it sets the cookie and redirects to the
// address without the token.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if g.asks && !g.right(query.Get("token")) {
		refuse(w, http.StatusUnauthorized, "token", "wrong token")
		return
	}
	if g.asks {
		http.SetCookie(w, &http.Cookie{
			Name: g.cookie, Value: g.value, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
		})
	}
	query.Del("token")
	// Redirect only to the root: any other path could lead to another site.
	to := url.URL{Path: "/", RawQuery: query.Encode()}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
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
