package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/tabula-chess/tabula/internal/must"
)

// toy is a kind's parameters.
type toy struct {
	N   int    `json:"n"`
	Bad string `json:"bad"`
}

func (p *toy) Jobs() int { return p.N }
func (p *toy) Check() error {
	if p.Bad != "" {
		return errors.New(p.Bad)
	}
	return nil
}

func TestManifest(t *testing.T) {
	m, err := NewManifest("toy", 1, 1, &toy{N: 10})
	must.Succeed(t, err)
	other := *m
	other.Seed = 2
	if m.ID() == other.ID() || len(m.ID()) != 32 {
		t.Errorf("ids %s and %s", m.ID(), other.ID())
	}
	if got, err := ParseManifest(m.ID(), m.Text()); err != nil || got.ID() != m.ID() {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ParseManifest(m.ID(), other.Text()); err == nil {
		t.Error("a manifest under another's name is taken")
	}
	for _, bad := range []toy{{N: 0}, {N: MaxJobs + 1}, {N: 1, Bad: "x"}} {
		if _, err := NewManifest("toy", 1, 1, &bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if _, err := NewManifest("a.b", 1, 1, &toy{N: 1}); err == nil {
		t.Error("a kind that is no part of a subject is taken")
	}
	var p toy
	if err := m.Read(&p); err != nil || p.N != 10 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{`3`, `{"n":9}`, `{"n":10,"bad":"x"}`} {
		if other.Params = json.RawMessage(text); other.Read(&p) == nil {
			t.Errorf("%s is taken", text)
		}
		p = toy{}
	}
}

// TestSeeds shows what seeds hang on: not on the copy, but for the key.
func TestSeeds(t *testing.T) {
	a, b, c := Job{Run: "r", Index: 1}, Job{Run: "r", Index: 1, K: 1}, Job{Run: "r", Index: 2}
	if a.Seed() != b.Seed() || a.Seed() == c.Seed() || a.KeyOf() == b.KeyOf() {
		t.Error("seeds do not hang on run and index, keys on the copy")
	}
}

// TestSeal shows that a result reads back under its canonical subject alone, that a field
// which this version does not know does no harm, and that nothing else is taken.
func TestSeal(t *testing.T) {
	sign := func(text []byte) ([]byte, error) { return bytes.Repeat([]byte{byte(len(text))}, 64), nil }
	verify := func(key string, text, sig []byte) error {
		if want, _ := sign(text); key != "w" || !bytes.Equal(sig, want) {
			return errors.New("forged")
		}
		return nil
	}
	r := &Result{Run: "r", Index: 3, K: 1, Value: json.RawMessage("1"), Worker: "w.m"}
	message, err := Seal(r, sign)
	must.Succeed(t, err)
	if got, err := OpenResult("res.r.3.1", message, verify); err != nil || got.Worker != "w.m" || got.Job().Name() != "r.3.1" {
		t.Errorf("%+v, %v", got, err)
	}
	newer := []byte(`{"run":"r","index":3,"k":1,"value":1,"worker":"w.m","later":{"b":1,"a":[]}}`)
	sig, _ := sign(newer)
	if _, err := OpenResult("res.r.3.1", append(sig, newer...), verify); err != nil {
		t.Errorf("a field more: %v", err)
	}
	for _, subject := range []string{"res.r.03.1", "res.r.+3.1", "res.r.3.01", "res.r.3.0", "res.r.2.1", "res.s.3.1", "res.r.3", "res.r.3.1.0"} {
		if _, err := OpenResult(subject, message, verify); err == nil {
			t.Errorf("taken under %s", subject)
		}
	}
	forged := bytes.Clone(message)
	forged[0]++
	if _, err := OpenResult("res.r.3.1", forged, verify); !errors.Is(err, ErrForged) {
		t.Errorf("forged: %v", err)
	}
	for _, text := range []string{`{"run":"r","index":3,"k":1,"worker":"w.m"}`, `{`, ``, `{"run":"r","index":3,"k":1,"value":1,"worker":"v.m"}`} {
		sig, _ := sign([]byte(text))
		if _, err := OpenResult("res.r.3.1", append(sig, text...), verify); err == nil {
			t.Errorf("%s: taken", text)
		}
	}
	if _, err := OpenResult("res.r.3.1", message[:10], verify); err == nil {
		t.Error("ten bytes are taken")
	}
	if _, err := Seal(r, func([]byte) ([]byte, error) { return nil, nil }); err == nil {
		t.Error("sealed without a signature")
	}
	if why := errors.New("bad"); !IsRefused(errors.Join(Refused(why))) || IsRefused(why) {
		t.Error("refusals are not told from other errors")
	}
}

// TestStraight counts the values of a run of two jobs: it is done with the second.
func TestStraight(t *testing.T) {
	s := Straight{Jobs: 2}
	for folded := range 3 {
		if s.Folded != folded || s.Done() != (folded == 2) || s.Ready() != 2 {
			t.Errorf("after %d values: %d folded, done %v, %d ready", folded, s.Folded, s.Done(), s.Ready())
		}
		if input, err := s.Input(folded); input != nil || err != nil {
			t.Errorf("input %s, %v; want none", input, err)
		}
		s.Count()
	}
}
