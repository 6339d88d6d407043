package guard_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tabula-chess/tabula/internal/guard"
)

func TestHosts(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, tt := range []struct {
		host           string
		local, network bool // whether servers of this machine and of the network answer
	}{
		{"localhost", true, true},
		{"LocalHost:8080", true, true},
		{"localhost.", true, true},
		{"127.0.0.1", true, true},
		{"127.9.9.9:80", true, true},
		{"[::1]", true, true},
		{"[::1]:8080", true, true},
		{"[::ffff:127.0.0.1]:80", true, true},
		{"192.0.2.7:8080", false, true},
		{"[2001:db8::1]", false, true},
		{"chess.example", true, true},
		{"CHESS.example.:443", true, true},
		{"evil.example", false, false},
		{"localhost.evil.example", false, false},
		{"127.0.0.1.evil.example", false, false},
		{"a.chess.example", false, false},
		{"", false, false},
	} {
		for local, want := range map[bool]bool{true: tt.local, false: tt.network} {
			r := httptest.NewRequest("GET", "/", nil)
			r.Host = tt.host
			w := httptest.NewRecorder()
			guard.Hosts(next, nil, local, "Chess.Example").ServeHTTP(w, r)
			status := http.StatusMisdirectedRequest
			if want {
				status = http.StatusTeapot
			}
			if w.Code != status {
				t.Errorf("Host %q, local %t: status %d, want %d", tt.host, local, w.Code, status)
			}
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"chess.example": true, "Chess-1.Example": true, "my_pc": true, "192.0.2.7": true,
		"": false, "*": false, "*.example": false, "a..b": false, "chess.example:8080": false, "http://x": false, "a b": false,
	} {
		if err := guard.CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
