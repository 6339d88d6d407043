package machine

import (
	"os"
	"runtime"
	"strings"
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

type way uint8

// family has a path that no machine can run: it needs sets of three makers.
func family(slow func(way) bool) *Family[way] {
	return &Family[way]{
		Kind: "test", Variable: "TABULA_TEST_PATH",
		Names: []string{"plain", "better", "best", "never"},
		Needs: [][]string{nil, nil, nil, {"SM3", "FMA4", "VMX", "SVE"}},
		Slow:  slow,
	}
}

func TestFamily(t *testing.T) {
	f := family(nil)
	if got := f.Best(); got != 2 {
		t.Errorf("Best() = %s, want best", f.Name(got))
	}
	if got := family(func(p way) bool { return p == 2 }).Best(); got != 1 {
		t.Errorf("Best() = %s where best is slow, want better", f.Name(got))
	}
	for _, tt := range []struct {
		name string
		want way
		says []string // of the error
	}{
		{"", 2, nil}, {"plain", 0, nil}, {"better", 1, nil},
		{"never", 3, []string{"test path never", "lacks"}},
		{"fast", 0, []string{`"fast"`, "plain, better, best, never"}},
	} {
		got, err := f.Select(tt.name)
		if got != tt.want || (err != nil) != (tt.says != nil) {
			t.Errorf("Select(%q) = %v, %v, want %v", tt.name, got, err, tt.want)
		}
		t.Setenv("TABULA_TEST_PATH", tt.name)
		for _, s := range tt.says {
			if err != nil && !strings.Contains(err.Error(), s) {
				t.Errorf("Select(%q): error %q does not say %s", tt.name, err, s)
			}
		}
		want := got
		if err != nil {
			want = 2
		}
		if got := f.Default(); got != want {
			t.Errorf("Default() with %q = %v, want %v", tt.name, got, want)
		}
	}
	if f.Supported(4) == nil || f.Name(4) != "test path 4" {
		t.Errorf("a path beyond the last: %v, named %q", f.Supported(4), f.Name(4))
	}
}

// TestResident: this process uses more than a megabyte, where the system says it.
func TestResident(t *testing.T) {
	if used, known := Resident(os.Getpid()); known != (runtime.GOOS == "linux") || known && used < 1<<20 {
		t.Errorf("%d bytes, known: %v", used, known)
	}
	if used, known := Resident(-1); known {
		t.Errorf("no process uses %d bytes", used)
	}
}
