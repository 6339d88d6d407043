// Package guard protects a web server against DNS rebinding.
//
// In such an attack, the host name of a foreign page resolves to the address of this server, so that
// the browser lets the page read the server's answers. The Host header still has the foreign name.
package guard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts returns a handler that passes on to next the requests whose Host is localhost,
// one of names, or an address: any address, or with local, which says that the server
// listens to this machine alone, an address of this machine. The others go to refused;
// where that is nil they get status 421.
func Hosts(next, refused http.Handler, local bool, names ...string) http.Handler {
	if refused == nil {
		refused = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "this server does not answer to that name", http.StatusMisdirectedRequest)
		})
	}
	lower := make([]string, 0, len(names))
	for _, name := range names {
		lower = append(lower, strings.ToLower(name))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if allowed(r.Host, local, lower) {
			next.ServeHTTP(w, r)
		} else {
			refused.ServeHTTP(w, r)
		}
	})
}

// allowed reports whether a request may call the server by host.
func allowed(host string, local bool, names []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "localhost" || slices.Contains(names, name) {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && (ip.Unmap().IsLoopback() || !local)
}

// CheckName returns an error for a text that no Host header can be, such as one with
// a * or a port.
func CheckName(name string) error {
	ok := name != ""
	for label := range strings.SplitSeq(name, ".") {
		ok = ok && label != "" && !strings.ContainsFunc(label, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
		})
	}
	if !ok {
		return fmt.Errorf("%.60q is not a host name; want a name such as chess.example, without * or port", name)
	}
	return nil
}
