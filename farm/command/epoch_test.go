package command

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/farm/hub"
)

// TestEpoch shows that a queue that has died with its hub comes back under another
// epoch, as its messages are numbered anew.
func TestEpoch(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "hub")
	var epochs []string
	for range 2 {
		h, err := hub.Start(hub.Config{Dir: dir, Open: toyOpener, Times: fast()})
		if err != nil {
			t.Fatal(err)
		}
		epoch, err := h.Conn.Epoch(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		epochs = append(epochs, epoch)
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if epochs[0] == epochs[1] {
		t.Errorf("both lives of the queue have the epoch %s", epochs[0])
	}
}
