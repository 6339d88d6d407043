package files_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestFaults fails every operation of a replacement in every way and goes on
// after a kill and after a power cut: the file has the old content or the new
// one, the new one where File returned no error, and the next run replaces it
// again and leaves nothing beside it.
func TestFaults(t *testing.T) {
	contents := [][]byte{bytes.Repeat([]byte("old"), 1000), bytes.Repeat([]byte("new"), 2000), []byte("last")}
	clean := kit.NewDisk()
	clean.Put("f", contents[0])
	kit.Succeed(t, files.WriteOn(clean, "f", contents[1]))
	runs := 0
	for at := 1; at <= clean.Operations(); at++ {
		for _, fault := range kit.Faults(at) {
			for seed := range uint64(12) {
				runs++
				d := kit.NewDisk()
				d.Put("f", contents[0])
				d.Plan(fault)
				err := files.WriteOn(d, "f", contents[1])
				r := rand.New(rand.NewPCG(seed, uint64(at)))
				if seed%3 == 0 {
					d.Kill()
				} else {
					d.PowerCut(r)
				}
				got, ok := d.Content("f")
				isNew := bytes.Equal(got, contents[1])
				if !ok || !isNew && (err == nil || !bytes.Equal(got, contents[0])) {
					t.Fatalf("fault %+v, error %v: %d bytes, want the old content or, without an error, the new", fault, err, len(got))
				}
				if err := files.WriteOn(d, "f", contents[2]); err != nil {
					t.Fatalf("fault %+v: the next run: %v", fault, err)
				}
				if got, _ := d.Content("f"); !bytes.Equal(got, contents[2]) || len(d.Names()) != 1 {
					t.Fatalf("fault %+v: after the next run %q and %v", fault, got, d)
				}
			}
		}
	}
	t.Logf("%d runs", runs)
}
