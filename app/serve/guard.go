//go:build !js && !wasip1

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
// A page of a stranger may make the browser of somebody who runs the server send
// requests there. It is told by its Origin, where the browser names one; and where
// the stranger's name has come to mean this machine's address (DNS rebinding), by
// the Host, which is the stranger's name still: only addresses, localhost and names
// that were allowed are answered.
type guard struct {
	local  bool     // the server listens to this machine alone
	hosts  []string // names that are allowed besides
	token  [32]byte // hash of the token
	asks   bool     // there is a token
	cookie string   // name of the cookie that stands for the token
	value  string   // its value, another at each start
}

// newGuard returns the guard of a server that listens at an address.
func newGuard(s *settings, address *net.TCPAddr) *guard {
	return &guard{
		local: address.IP.IsLoopback(), hosts: s.hosts, token: sha256.Sum256([]byte(s.token)), asks: s.token != "",
		// Cookies belong to a host whatever the port: two servers must not take
		// each other's.
		cookie: fmt.Sprintf("tabula-%d", address.Port), value: rand.Text(),
	}
}

// wrap answers what is not let in, and lets next answer the rest.
func (g *guard) wrap(next http.Handler) http.Handler {
	misnamed := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusMisdirectedRequest, "Host", "this name is not served; --host allows it")
	})
	known := hosts.Hosts(g.answer(next), misnamed, g.local, g.hosts...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w, r)
		known.ServeHTTP(w, r)
	})
}

// answer is wrap for requests by a name that is allowed.
func (g *guard) answer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api := strings.HasPrefix(r.URL.Path, "/api/")
		switch {
		case api && !g.sameOrigin(r):
			refuse(w, http.StatusForbidden, "Origin", "another site's pages are not answered")
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

// headers sets what every answer has: nothing is loaded from anywhere else, nor
// put into other sites' frames.
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

// socketSources names the page's own sockets for browsers that do not count them as
// 'self'.
func socketSources(host string) string {
	for _, r := range host {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]", r) {
			return ""
		}
	}
	return "ws://" + host + " wss://" + host
}

// sameOrigin reports whether a request comes from the server's own page, or from a
// program that is no browser.
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
	// Without TLS here there may be a proxy with it.
	return u.Scheme == "https" || u.Scheme == "http" && r.TLS == nil
}

// known reports whether a request brings the token or the cookie, where there is
// one.
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

// admit gives a browser that brings the token in the address the cookie, and sends
// it on to the same address without the token.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if g.asks && !g.right(query.Get("token")) {
		refuse(w, http.StatusUnauthorized, "token", "this is not the token")
		return
	}
	if g.asks {
		http.SetCookie(w, &http.Cookie{
			Name: g.cookie, Value: g.value, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
		})
	}
	query.Del("token")
	// Of the path only the root is taken: what else stands there could lead to
	// another site.
	to := url.URL{Path: "/", RawQuery: query.Encode()}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// refuse answers with an error in the form of the messages.
func refuse(w http.ResponseWriter, status int, field, reason string) {
	data, _ := json.Marshal(session.Reply{ID: json.RawMessage("null"), Error: &session.Error{Field: field, Reason: reason}})
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client may be gone
}
