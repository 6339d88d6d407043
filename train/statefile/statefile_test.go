package statefile

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/disk/disktest"
)

// sample is a state like those of runs.
type sample struct {
	Nodes  uint64
	Names  []string
	Values map[string]float64
	Won    int
}

func states() (a, b sample) {
	a = sample{5000, []string{"<&>", "two"}, map[string]float64{"x": 1.5, "y": -2}, 17}
	b = a
	b.Won = 18
	b.Values = map[string]float64{"x": 1.25, "y": 1e-7}
	return a, b
}

func TestRoundTrip(t *testing.T) {
	d := disktest.New()
	want, _ := states()
	var got sample
	if found, err := Load(d, "s", &got); found || err != nil {
		t.Errorf("no file: found %v, error %v", found, err)
	}
	if err := Save(d, "s", &want); err != nil {
		t.Fatal(err)
	}
	if found, err := Load(d, "s", &got); !found || err != nil {
		t.Errorf("found %v, error %v", found, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.Put("old", []byte(`{"Nodes": 5000, "Names": ["<&>", "two"], "Values": {"x": 1.5, "y": -2}, "Won": 17}`))
	got = sample{}
	if found, err := Load(d, "old", &got); !found || err != nil || !cmp.Equal(want, got) {
		t.Errorf("without a checksum: found %v, error %v, %+v", found, err, got)
	}
}

// TestAltered flips every bit of a file, cuts it everywhere and changes single
// digits: what is read is the state as it was, or an error that names the file.
func TestAltered(t *testing.T) {
	d := disktest.New()
	want, _ := states()
	if err := Save(d, "s", &want); err != nil {
		t.Fatal(err)
	}
	good, _ := d.Content("s")
	var altered [][]byte
	for i := range good {
		for bit := range 8 {
			b := bytes.Clone(good)
			b[i] ^= 1 << bit
			altered = append(altered, b)
		}
		altered = append(altered, good[:i], slices.Concat(good[:i], good[i+1:]), slices.Concat(good[:i], []byte("0"), good[i:]))
	}
	refused := 0
	for _, text := range altered {
		d.Put("s", text)
		var got sample
		found, err := Load(d, "s", &got)
		switch {
		case err != nil && !strings.Contains(err.Error(), "s: "):
			t.Fatalf("error %v does not name the file", err)
		case err != nil:
			refused++
		case !found || !cmp.Equal(want, got):
			t.Fatalf("%+v is read from\n%s", got, text)
		}
	}
	t.Logf("%d altered files, %d refused", len(altered), refused)
}

// TestFaults fails every operation of a save and cuts the power.
func TestFaults(t *testing.T) {
	first, second := states()
	begin := func() *disktest.Disk {
		d := disktest.New()
		if err := Save(d, "s", &first); err != nil {
			t.Fatal(err)
		}
		d.Plan(disktest.Fault{})
		return d
	}
	clean := begin()
	if err := Save(clean, "s", &second); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= clean.Operations(); at++ {
		for _, fault := range disktest.Faults(at) {
			for seed := range uint64(4) {
				d := begin()
				d.Plan(fault)
				saveErr := Save(d, "s", &second)
				d.PowerCut(rand.New(rand.NewPCG(seed, uint64(at))))
				var got sample
				found, err := Load(d, "s", &got)
				if err != nil || !found || !cmp.Equal(got, second) && (saveErr == nil || !cmp.Equal(got, first)) {
					t.Fatalf("fault %+v: save %v, load %v, %+v", fault, saveErr, err, got)
				}
			}
		}
	}
}
