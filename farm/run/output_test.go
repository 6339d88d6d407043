package run

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
)

var id = strings.Repeat("0a", 16)

// addAll opens a file and adds what all jobs came to, as a command does that is given again.
func addAll(t *testing.T, name string, jobs []string) error {
	t.Helper()
	o, err := OpenOutput(name, id)
	if err != nil {
		return err
	}
	defer o.Close()
	o.begin()
	for _, text := range jobs {
		testkit.Succeed(t, o.add([]byte(text)))
	}
	return o.end()
}

// TestKilled cuts the file off anywhere, as a kill or a power cut leaves it, or spoils it, and goes
// on: it holds each job once, in order.
func TestKilled(t *testing.T) {
	jobs := []string{"one\n", "two two\n", "", "four\n"}
	name := filepath.Join(t.TempDir(), "out")
	testkit.Succeed(t, addAll(t, name, jobs))
	whole := string(testkit.Read(t, name))
	if whole != "one\ntwo two\nfour\n" {
		t.Fatalf("%q", whole)
	}
	for end := range len(whole) {
		for _, left := range []string{whole[:end], whole[:end] + "\x00\x00\x00", whole[:end] + strings.Repeat("x", 100)} {
			testkit.Write(t, name, []byte(left))
			if err := addAll(t, name, jobs); err != nil || string(testkit.Read(t, name)) != whole {
				t.Errorf("%q: %v, %q", left, err, testkit.Read(t, name))
			}
		}
	}
	// A job that comes to something else, since a worker was banned, replaces what was added.
	if err := addAll(t, name, []string{"one\n", "right\n", "", "four\n", "five\n"}); err != nil || string(testkit.Read(t, name)) != "one\nright\nfour\nfive\n" {
		t.Errorf("%v, %q", err, testkit.Read(t, name))
	}
}

func TestOthers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	o, err := OpenOutput(name, id)
	testkit.Succeed(t, err)
	if _, err := OpenOutput(name, id); err == nil {
		t.Error("two commands write one file")
	}
	testkit.Succeed(t, o.Close())
	testkit.Write(t, name+"x", []byte("games"))
	for range 2 {
		if _, err := OpenOutput(name+"x", id); err == nil || !strings.Contains(err.Error(), "is there already") || string(testkit.Read(t, name+"x")) != "games" {
			t.Errorf("another's file is taken: %v", err)
		}
	}
}
