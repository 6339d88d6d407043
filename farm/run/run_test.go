package run

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestManifest(t *testing.T) {
	m, err := NewManifest("toy", 10, 1, map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
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
	for _, bad := range []Manifest{
		{Kind: "", Jobs: 1, Params: m.Params}, {Kind: "a.b", Jobs: 1, Params: m.Params}, {Kind: "a", Jobs: 0, Params: m.Params},
		{Kind: "a", Jobs: MaxJobs + 1, Params: m.Params}, {Kind: "a", Jobs: 1, Params: json.RawMessage("{")},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestSeeds shows what seeds hang on: not on the copy, but for the key.
func TestSeeds(t *testing.T) {
	a, b, c := Job{Run: "r", Index: 1}, Job{Run: "r", Index: 1, K: 1}, Job{Run: "r", Index: 2}
	if a.Seed() != b.Seed() || a.Seed() == c.Seed() || a.KeyOf() == b.KeyOf() {
		t.Error("seeds do not hang on run and index, keys on the copy")
	}
}

func TestParseResult(t *testing.T) {
	j := Job{Run: "r", Index: 3, K: 1}
	forged := errors.New("forged")
	verify := func(worker string, _, sig []byte) error {
		if string(sig) != worker {
			return forged
		}
		return nil
	}
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"right", `{"run":"r","index":3,"k":1,"value":1,"worker":"w","sig":"dw=="}`, true},
		{"forged", `{"run":"r","index":3,"k":1,"value":1,"worker":"v","sig":"dw=="}`, false},
		{"of another job", `{"run":"r","index":4,"k":1,"value":1,"worker":"w","sig":"dw=="}`, false},
		{"of another copy", `{"run":"r","index":3,"k":0,"value":1,"worker":"w","sig":"dw=="}`, false},
		{"no value", `{"run":"r","index":3,"k":1,"worker":"w","sig":"dw=="}`, false},
		{"no JSON", `{`, false},
	} {
		if _, err := ParseResult(j, []byte(tt.text), verify); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if !IsRefused(errors.Join(Refused(forged))) || IsRefused(forged) {
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
