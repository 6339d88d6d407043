package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// TestOutput breaks off after any number of jobs and goes on: the file holds each job once, in order,
// at every break and in the end. A kill leaves what was there before.
func TestOutput(t *testing.T) {
	jobs := []string{"one\n", "two two\n", "", "four\n"}
	for end := range len(jobs) + 1 {
		name := filepath.Join(t.TempDir(), "out")
		for _, n := range []int{0, end, end, len(jobs), len(jobs)} {
			o, err := OpenOutput(name, false)
			testkit.Succeed(t, err)
			testkit.Succeed(t, o.begin())
			for _, text := range jobs[:n] {
				testkit.Succeed(t, o.add([]byte(text)))
			}
			testkit.Succeed(t, o.Close(n == len(jobs)))
			if want := strings.Join(jobs[:n], ""); want != "" && string(testkit.Read(t, name)) != want {
				t.Errorf("%d jobs: %q, want %q", n, testkit.Read(t, name), want)
			}
		}
		// A kill: nothing is closed.
		o, err := OpenOutput(name, false)
		testkit.Succeed(t, err)
		testkit.Succeed(t, o.add([]byte(jobs[0])))
		if got := string(testkit.Read(t, name)); got != strings.Join(jobs, "") {
			t.Errorf("%q while it is written", got)
		}
		if _, err := OpenOutput(name, false); err == nil {
			t.Error("two commands write one file")
		}
		o.new.Abort()
	}
}

// TestOutputGone closes an output that could not be begun again.
func TestOutputGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	testkit.Succeed(t, os.Mkdir(dir, 0o700))
	o, err := OpenOutput(filepath.Join(dir, "out"), false)
	testkit.Succeed(t, err)
	testkit.Succeed(t, os.RemoveAll(dir))
	if o.begin() == nil {
		t.Error("it was begun in a folder that is gone")
	}
	testkit.Succeed(t, o.Close(false))
}

// TestLonger: what the run does not come to, behind what it does, is not its output either.
func TestLonger(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	testkit.Write(t, name, []byte("games and more"))
	for _, own := range []bool{false, true} {
		o, err := OpenOutput(name, own)
		testkit.Succeed(t, err)
		testkit.Succeed(t, o.add([]byte("games")))
		want := map[bool]string{false: "games and more", true: "games"}[own]
		if err := o.Close(true); (err == nil) != own || string(testkit.Read(t, name)) != want {
			t.Errorf("own %v: %v, %q", own, err, testkit.Read(t, name))
		}
	}
}

// TestOthers shows that a file of something else stays, whatever the run comes to.
func TestOthers(t *testing.T) {
	for _, text := range []string{"games", "g", "games and more"} {
		name := filepath.Join(t.TempDir(), "out")
		testkit.Write(t, name, []byte(text))
		o, err := OpenOutput(name, false)
		testkit.Succeed(t, err)
		if err := o.add([]byte("other")); err == nil || !strings.Contains(err.Error(), "already exists") {
			t.Errorf("%q: %v", text, err)
		}
		if err := o.Close(false); err != nil || string(testkit.Read(t, name)) != text {
			t.Errorf("%q became %q, %v", text, testkit.Read(t, name), err)
		}
	}
}
