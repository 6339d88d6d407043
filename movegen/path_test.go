package movegen

import (
	"strings"
	"testing"
)

func TestSelectPath(t *testing.T) {
	for p := Magic; p <= NEON; p++ {
		got, err := SelectPath(p.String())
		if supported := p.Supported(); (err == nil) != (supported == nil) || got != p {
			t.Errorf("SelectPath(%q) = %v, %v; Supported: %v", p, got, err, supported)
		}
	}
	if p, err := SelectPath(""); err != nil || p != paths.Best() || p.Supported() != nil {
		t.Errorf(`SelectPath("") = %v, %v, want %v`, p, err, paths.Best())
	}
	_, err := SelectPath("sse9")
	if err == nil || !strings.Contains(err.Error(), `"sse9"`) || !strings.Contains(err.Error(), "magic, pext, avx2, avx512, neon") {
		t.Errorf(`SelectPath("sse9"): error %v names neither the fault nor what is known`, err)
	}
	if err := (NEON + 1).Supported(); err == nil {
		t.Error("a path beyond the last is supported")
	}
}
