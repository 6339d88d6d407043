package block

import (
	"bytes"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/train/record"
)

// FuzzFile reads bytes as a file and follows the games it finds on both
// boards: nothing panics, and games, damage and length agree.
func FuzzFile(f *testing.F) {
	two := blocks(f, Exact, entries(1, 4, 6), 2)
	f.Add(two)
	f.Add(blocks(f, Fast, entries(1, 4, 6), 2))
	f.Add(two[:len(two)-5])
	f.Add(append(append([]byte("rubbish before "), two...), two[60:]...))
	f.Add([]byte(entries(2, 1, 3)[0].Game))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		// Sums hide everything else from a fuzzer: make the first header's right.
		fixed := bytes.Clone(data)
		if len(fixed) > headerSize && string(fixed[:len(magic)]) == magic {
			payload := sum(fixed[headerSize:])
			copy(fixed[36:], []byte{byte(payload), byte(payload >> 8), byte(payload >> 16), byte(payload >> 24)})
			head := sum(fixed[:headerSize-4])
			copy(fixed[headerSize-4:], []byte{byte(head), byte(head >> 8), byte(head >> 16), byte(head >> 24)})
		}
		for _, data := range [][]byte{data, fixed} {
			follow(t, data)
		}
	})
}

// follow reads a file and replays its games.
func follow(t *testing.T, data []byte) {
	file, err := NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	length := int64(0)
	for i := range file.Entries {
		length += file.Entries[i].length(file.Plain)
	}
	for _, d := range file.Damages {
		length += d.Length
	}
	if length != int64(len(data)) {
		t.Fatalf("blocks and damage are %d bytes of %d", length, len(data))
	}
	games, _ := readAll(t, data)
	p := new(chess.Position)
	for _, e := range games {
		g := record.View(e.Game)
		var board record.Board
		strict := g.Verify(p, nil)
		loose := board.Start(g.Start())
		for i := 0; loose == nil && i < g.Plies(); i++ {
			if !board.Apply(g.Ply(i).Move) {
				loose = &record.PlyError{Ply: i}
			}
		}
		if strict == nil && loose != nil {
			t.Fatalf("a legal game is refused: %v", loose)
		}
	}
}

// FuzzJournal reads bytes as a journal.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(journalMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, games, _ := parseJournal(data)
		for _, g := range games {
			if g.game.Plies() < 0 || g.game.Start() == nil {
				t.Fatal("a game without a start")
			}
		}
	})
}
