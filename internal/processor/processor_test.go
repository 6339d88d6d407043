package processor

import (
	"runtime"
	"testing"
)

func TestReserve(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer func() { runtime.GOMAXPROCS(before); cores = 0 }()
	if n := Cores(); n != before {
		t.Fatalf("%d cores before Reserve, want GOMAXPROCS, %d", n, before)
	}
	for range 2 {
		Reserve()
		if n := runtime.GOMAXPROCS(0); n != before+spare {
			t.Errorf("GOMAXPROCS is %d after Reserve, want %d", n, before+spare)
		}
		if n := Cores(); n != before {
			t.Errorf("%d cores after Reserve, want %d as before", n, before)
		}
	}
}
