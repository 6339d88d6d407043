package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// toy is a kind's parameters.
type toy struct {
	N   int    `json:"n"`
	Bad string `json:"bad"`

	Kind `json:"-"`
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
	testkit.Succeed(t, err)
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
	a, b, c := Job{Run: "r", Index: 1}, Job{Run: "r", Index: 1, Copy: 1}, Job{Run: "r", Index: 2}
	if a.Seed() != b.Seed() || a.Seed() == c.Seed() || a.KeyOf() == b.KeyOf() {
		t.Error("seeds do not hang on run and index, keys on the copy")
	}
}

// TestSeal shows that a result reads back as that of its job alone, that a field which this
// version does not know does no harm, and that nothing else is taken.
func TestSeal(t *testing.T) {
	k, err := NewKey(RoleWorker, "")
	testkit.Succeed(t, err)
	public := k.Public
	m := &Manifest{Kind: "toy", Version: 2}
	j := Job{Run: "r", Index: 3, Copy: 1}
	good := fmt.Sprintf(`"run":"r","index":3,"copy":1,"kind":"toy","version":2,"key":%q,"host":"a\u001b[31m"`, public)
	seal := func(text string) []byte {
		text += "\n"
		sig, err := k.Pair.Sign([]byte(text))
		testkit.Succeed(t, err)
		return append(sig, text...)
	}
	message, err := Seal(&Result{Job: j, Kind: "toy", Version: 2, Data: []byte("1\n2"), Key: public}, k.Pair.Sign)
	testkit.Succeed(t, err)
	if r, err := OpenResult(m, j, message); err != nil || r.Key != public || r.Name() != "r.3.1" ||
		string(r.Data) != "1\n2" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := OpenResult(m, j, seal("{"+good+`,"later":{"b":1}}`)); err != nil || r.Host != "a[31m" {
		t.Errorf("%+v, %v", r, err)
	}
	forged := bytes.Clone(message)
	forged[0]++
	other, err := NewKey(RoleWorker, "")
	testkit.Succeed(t, err)
	name := other.Public
	for want, message := range map[string][]byte{
		"not signed":                  forged,
		"is not signed":               seal(strings.Replace("{"+good+"}", public, name, 1)),
		"a result of 10 bytes":        message[:10],
		"without its end of line":     bytes.TrimSuffix(seal("{"+good+"}"), []byte("\n")),
		"result: ":                    seal("{"),
		"job r.3.0":                   seal(strings.Replace("{"+good+"}", `"copy":1`, `"copy":0`, 1)),
		"job s.3.1":                   seal(strings.Replace("{"+good+"}", `"run":"r"`, `"run":"s"`, 1)),
		"the run is of kind toy":      seal(strings.Replace("{"+good+"}", `"toy"`, `"perft"`, 1)),
		"update the worker":           seal(strings.Replace("{"+good+"}", `"version":2`, `"version":1`, 1)),
		"the worker is newer":         seal(strings.Replace("{"+good+"}", `"version":2`, `"version":3`, 1)),
		"took 1e+308 s":               seal("{" + good + `,"took":1e308}`),
		"took -1 s":                   seal("{" + good + `,"took":-1}`),
		"units -1":                    seal("{" + good + `,"units":-1}`),
		"data of 7340033 bytes: want": seal("{" + good + "}\n" + strings.Repeat("x", MaxData)),
	} {
		if r, err := OpenResult(m, j, message); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, %v; want an error of %q", r, err, want)
		}
	}
}

// TestBlocks counts the values of a run of two jobs: it is done with the second.
func TestBlocks(t *testing.T) {
	s := Blocks{}
	for folded := range 3 {
		if s.Folded != folded || s.Done() || s.Ready() != MaxJobs || s.Twice() != 0 {
			t.Errorf("after %d values: %d folded, done %v, %d ready", folded, s.Folded, s.Done(), s.Ready())
		}
		if input := s.Input(folded); input != nil {
			t.Errorf("input %s, want none", input)
		}
		s.Folded++
	}
}
