package loader

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSpool reads two epochs of two files from a spool and from the games.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	a, b := writeGames(t, 1, 60), writeGames(t, 2, 30)
	s, err := NewSpool(filepath.Join(dir, "x.nn"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o := Options{Filter: DefaultFilter(), Held: 0.3, Lambda: 0.8, Buffer: 1500, Threads: 3, Seed: 9}
	found, err := open(t, o, a, b).Survey(context.Background(), Wanted{Part: Training, Keep: s.Add}, Wanted{Part: HeldOut})
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	if found[0].Samples == 0 || found[1].Samples == 0 {
		t.Fatalf("parts of %d and %d samples test nothing", found[0].Samples, found[1].Samples)
	}
	o.Part = Training
	games := open(t, o, a, b)
	o.Spool = s
	spool := open(t, o, a, b)
	for n := range 2 {
		want, got := epoch(t, games, 777), epoch(t, spool, 777)
		if diff := firstDiff(text(want), text(got)); diff != "" || len(got) != found[0].Samples {
			t.Errorf("epoch %d, %d samples of %d: %s", n, len(got), found[0].Samples, diff)
		}
	}
	if err := spool.SeekSample(found[0], 300); err != nil {
		t.Fatal(err)
	}
	if err := games.SeekSample(found[0], 300); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(epoch(t, games, 100), epoch(t, spool, 100)); diff != "" {
		t.Errorf("after a jump: %s", diff)
	}
	// A file that was added to since has a block more.
	s.ends = s.ends[:len(s.ends)-1]
	_, err = open(t, o, a, b).Survey(context.Background(), Wanted{Part: Training})
	if err == nil || !strings.Contains(err.Error(), "has grown") {
		t.Errorf("a block that was not spooled: error %v", err)
	}
	s.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v: the spool is left behind", left, err)
	}
}
