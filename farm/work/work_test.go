package work

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
)

// TestSpool keeps results until they are removed, and says of a damaged file that it
// is one.
func TestSpool(t *testing.T) {
	s := spool{t.TempDir()}
	var jobs []run.Job
	for k := range 3 {
		j := run.Job{Run: "r", Index: 7, K: k}
		jobs = append(jobs, j)
		if err := s.put(j, spooled{&run.Result{Run: "r", Index: 7, K: k}, [][]byte{{byte(k)}, nil}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.remove(jobs[1]); err != nil {
		t.Fatal(err)
	}
	names, err := s.all()
	if err != nil || !slices.Equal(names, []string{s.name(jobs[0]), s.name(jobs[2])}) {
		t.Errorf("%v, %v", names, err)
	}
	r, err := s.read(s.name(jobs[2]))
	if err != nil || r.Result.K != 2 || len(r.Files) != 2 || !bytes.Equal(r.Files[0], []byte{2}) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, text := range []string{"", "{", "{}"} {
		if err := os.WriteFile(s.name(jobs[0]), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.read(s.name(jobs[0])); err == nil {
			t.Errorf("%q is read as a result", text)
		}
	}
}

// TestHomes gives each worker a home with a key of its own, and the same again after
// another has left it.
func TestHomes(t *testing.T) {
	dir := t.TempDir()
	open := func(want string) (*Home, string) {
		t.Helper()
		h, err := OpenHome(dir)
		if err != nil {
			t.Fatal(err)
		}
		key, err := h.Key.PublicKey()
		if err != nil || h.Dir != filepath.Join(dir, want) {
			t.Errorf("home %s, %v; want %s", h.Dir, err, want)
		}
		return h, key
	}
	first, key := open("0")
	second, other := open("1")
	defer second.Close()
	if key == other {
		t.Error("two workers have one key")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, same := open("0")
	if same != key {
		t.Error("the key has changed")
	}
	if info, err := os.Stat(filepath.Join(again.Dir, "key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a file that only its owner reads", info.Mode(), err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "0", "key"), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenHome(dir); err == nil {
		t.Error("junk is taken for a key")
	}
}

// TestRest shows that a worker rests from a run of which it could not do a job, four
// times as long each time, up to a bound, and from no other run.
func TestRest(t *testing.T) {
	w := &worker{Config: Config{Times: link.Times{Alive: time.Minute}}, rest: map[string]rest{}}
	if w.rests("r") {
		t.Error("it rests before it has failed")
	}
	for fails, want := range []time.Duration{time.Minute, 4 * time.Minute, 16 * time.Minute, time.Hour, time.Hour} {
		before := time.Now()
		w.tire("r")
		w.tire("r") // another core, just after
		r := w.rest["r"]
		if r.until.Before(before.Add(want)) || r.until.After(time.Now().Add(want)) || r.fails != fails+1 || !w.rests("r") || w.rests("other") {
			t.Errorf("failure %d: rests for %v, %d failures; want %v", fails, r.until.Sub(before), r.fails, want)
		}
		r.until = time.Now() // the rest is over
		w.rest["r"] = r
	}
	for range 40 {
		r := w.rest["r"]
		r.until = time.Time{}
		w.rest["r"] = r
		w.tire("r")
	}
	if !w.rests("r") {
		t.Error("after many failures it does not rest")
	}
}

// TestForget drops what is kept for runs that are closed, and nothing else.
func TestForget(t *testing.T) {
	w := &worker{
		open:  []link.Open{{Run: "a", Epoch: "now"}},
		plans: map[string]*plan{"a": nil, "b": nil}, refuses: map[string]string{"a": "x", "b": "y"}, slots: map[string]int{"a": 1, "b": 2},
		rest: map[string]rest{"a": {}, "b": {}}, mine: map[string]bool{"a.1": true, "b.1": true},
		consumers: map[string]jetstream.Consumer{link.ConsumerName("a", 0, "now"): nil, link.ConsumerName("a", 0, "before"): nil, link.ConsumerName("b", 0, "now"): nil},
	}
	w.forget()
	_, plan := w.plans["a"]
	_, refuses := w.refuses["a"]
	_, rest := w.rest["a"]
	_, consumer := w.consumers[link.ConsumerName("a", 0, "now")]
	if !plan || !refuses || !rest || !consumer || !w.mine["a.1"] || w.slots["a"] != 1 {
		t.Error("it forgets an open run")
	}
	if n := len(w.plans) + len(w.refuses) + len(w.slots) + len(w.rest) + len(w.mine) + len(w.consumers); n != 6 {
		t.Errorf("it keeps %d things, want 6", n)
	}
}
