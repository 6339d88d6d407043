package hub

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
)

// TestGuardKeepsItsSecrets arms a guard twice with one directory: certificate and
// tokens stay, each token has its role, and files are their owner's alone.
func TestGuardKeepsItsSecrets(t *testing.T) {
	dir := t.TempDir()
	var first, second guard
	if err := first.arm(dir); err != nil {
		t.Fatal(err)
	}
	if err := second.arm(dir); err != nil {
		t.Fatal(err)
	}
	if first.pin != second.pin || len(first.pin) != 64 || len(first.tokens) != 2 || len(second.tokens) != 2 {
		t.Errorf("pins %s, %s; %d and %d tokens", first.pin, second.pin, len(first.tokens), len(second.tokens))
	}
	for _, role := range []string{link.RoleWorker, link.RoleOwner} {
		name := TokenFile(dir, role)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		token, err := link.ParseToken(string(text))
		if err != nil || first.role(token.Secret) != role || second.role(token.Secret) != role || token.Pin != first.pin {
			t.Errorf("the token of %s is of %q, %v", role, second.role(token.Secret), err)
		}
		if r := second.role(token.Secret[1:]); r != "" {
			t.Errorf("a part of a secret makes its holder %q", r)
		}
	}
	// A token of another role or certificate is replaced.
	owner, err := os.ReadFile(TokenFile(dir, link.RoleOwner))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(TokenFile(dir, link.RoleWorker), owner, 0o600); err != nil {
		t.Fatal(err)
	}
	var third guard
	if err := third.arm(dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(TokenFile(dir, link.RoleWorker)); err != nil || bytes.Equal(text, owner) || len(third.tokens) != 2 {
		t.Errorf("the owner's token stands for a worker's, %v", err)
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "0.0.0.0": false, "::": false, "": false, "10.0.0.1": false, "example.org": false,
	} {
		if got := isLoopback(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

// TestRestart starts a hub in a directory that another has, which fails, and again
// after that one has ended: what was kept is there.
func TestRestart(t *testing.T) {
	c := Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Times: link.Usual()}
	h, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Start(c); err == nil {
		other.Close()
		t.Error("two hubs are at work in one directory")
	}
	if h.Guarded() {
		t.Error("a hub of this machine alone wants tokens")
	}
	sum, err := h.Conn.PutInput(t.Context(), []byte("kept"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := link.Dial(link.Options{URL: "nats://" + h.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Wait(t.Context(), time.Minute); err != nil {
		t.Error(err)
	}
	client.Close()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if h, err = Start(c); err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if data, err := h.Conn.Get(t.Context(), sum); err != nil || string(data) != "kept" {
		t.Errorf("%q, %v", data, err)
	}
	for _, listen := range []string{"127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999"} {
		if bad, err := Start(Config{Dir: t.TempDir(), Listen: listen, Times: link.Usual()}); err == nil {
			bad.Close()
			t.Errorf("listens on %q", listen)
		}
	}
}
