package fit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/train/loader"
)

// TestResume interrupts a run at several steps, throws the trainer away, goes
// on from the checkpoint with another number of threads, and compares with a
// run that was left alone.
func TestResume(t *testing.T) {
	c := small(256, 150)
	c.Epochs = 4
	set := randomGames(t, 7, 20, 5)
	want := newTrainer(t, c, set)
	must.Succeed(t, want.Run(context.Background(), nil))
	name := filepath.Join(t.TempDir(), "fit.checkpoint")
	tr := newTrainer(t, c, set)
	for _, stop := range []int64{1, 5, 7, 20, want.Steps() + 1} {
		ctx, cancel := context.WithCancel(context.Background())
		err := tr.Run(ctx, func(t *Trainer) error {
			if t.Step() == stop {
				cancel()
			}
			return nil
		})
		cancel()
		if stop <= want.Steps() && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at step %d: error %v, want that of the context", tr.Step(), err)
		}
		must.Succeed(t, tr.Save(name))
		tr, err = Resume(name, c, set)
		must.Succeed(t, err)
		tr.SetThreads(int(stop)%3 + 1)
	}
	if d := cmp.Diff(want.Curve(), tr.Curve()); d != "" {
		t.Errorf("curves differ: %s", d)
	}
	var files [2]bytes.Buffer
	for i, tr := range []*Trainer{want, tr} {
		net, err := tr.Network([]string{"test"})
		must.Succeed(t, err)
		if _, err := net.WriteTo(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the network of the resumed run differs from that of the one left alone")
	}
}

// rehash sets the hash of a checkpoint to that of its content.
func rehash(d []byte) []byte {
	sum := sha256.Sum256(d[checkpointHashed:])
	copy(d[len(checkpointMagic)+4:], sum[:])
	return d
}

func TestResumeRefusals(t *testing.T) {
	set := randomGames(t, 8, 4, 2)
	c := small(256, 50)
	dir := t.TempDir()
	name := filepath.Join(dir, "fit.checkpoint")
	must.Succeed(t, newTrainer(t, c, set).Save(name))
	good := filestest.Read(t, name)
	same := func(d []byte) []byte { return d }
	for _, tt := range []struct {
		name   string
		damage func(d []byte) []byte
		config func(c *Config)
		set    *loader.Set
		want   string
	}{
		{"other file", func([]byte) []byte { return []byte("hello") }, nil, set, "magic"},
		{"empty", func([]byte) []byte { return nil }, nil, set, "magic"},
		{"header cut", func(d []byte) []byte { return d[:20] }, nil, set, "header"},
		{"version", func(d []byte) []byte { d[8] = 7; return d }, nil, set, "version: 7"},
		{"cut", func(d []byte) []byte { return d[:len(d)-4] }, nil, set, "hash"},
		{"flipped bit", func(d []byte) []byte { d[len(d)/2] ^= 1; return d }, nil, set, "hash"},
		{"short", func(d []byte) []byte { return rehash(d[:len(d)-4]) }, nil, set, "length"},
		{"state length", func(d []byte) []byte { d[checkpointHashed+3] = 0x7f; return rehash(d) }, nil, set, "state"},
		{"state", func(d []byte) []byte { d[checkpointHashed+4] = 'x'; return rehash(d) }, nil, set, "state"},
		{"rate", same, func(c *Config) { c.Rate *= 2 }, set, "Rate differs"},
		{"shape", same, func(c *Config) { c.Shape.Outputs = 2 }, set, "Shape differs"},
		{"other data", same, nil, randomGames(t, 9, 4, 2), "data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			filestest.Write(t, name, tt.damage(bytes.Clone(good)))
			config := c
			if tt.config != nil {
				tt.config(&config)
			}
			_, err := Resume(name, config, tt.set)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Resume: error %v, want one with %q", err, tt.want)
			}
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("Save left %v behind (%v)", left, err)
	}
}
