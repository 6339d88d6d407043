package movegen_test

import (
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/movegen/reference/mailbox"
	"github.com/tabula-chess/tabula/movegen/reference/rays"
	"github.com/tabula-chess/tabula/movegen/reference/x88"
)

// maxFuzzPlies bounds a game of bytes, so that one input stays cheap.
const maxFuzzPlies = 200

// FuzzGame reads bytes as a game: the first chooses the position, each further
// one the move, and 255 is a null move where the side to move is not in check.
// At each position the lists, counts, keys and FENs must agree, and at the end
// all moves are taken back.
func FuzzGame(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 46, 0, 255, 7, 3, 3, 3, 3})
	f.Add([]byte("\x05random bytes make a game of Chess960"))
	f.Add([]byte("\x08\x01\x02\x03\x05\x08\x0d\x15\x22\x37\x59"))
	f.Fuzz(func(t *testing.T, game []byte) {
		if len(game) == 0 {
			return
		}
		root := starts[int(game[0])%len(starts)]
		p := chesstest.Position(t, root)
		start := p.Clone()
		var legal []chess.Move
		for _, b := range game[1:min(len(game), maxFuzzPlies)] {
			legal = movegen.Legal(p, legal[:0])
			checkPosition(t, p, legal)
			if t.Failed() || len(legal) == 0 {
				break
			}
			if b == 255 && !p.InCheck() {
				p.MakeNull()
				continue
			}
			m := legal[int(b)%len(legal)]
			if gives := p.GivesCheck(m); gives != checkAfter(p, m) {
				t.Errorf("%s: GivesCheck(%v) = %v", p, m, gives)
			}
			p.Make(m)
		}
		for p.Plies() > 0 {
			p.Unmake()
		}
		if !p.Equal(start) || p.Key() != start.Key() || p.PawnKey() != start.PawnKey() {
			t.Errorf("%s: after all moves are taken back: %s, key %x, want %x", root, p, p.Key(), start.Key())
		}
	})
}

// checkAfter reports whether the side to move is in check after m.
func checkAfter(p *chess.Position, m chess.Move) bool {
	p.Make(m)
	defer p.Unmake()
	us := p.SideToMove()
	return p.Attacked(p.King(us), us.Other(), p.Occupied())
}

// checkPosition compares everything that should agree about p, whose legal
// moves are given.
func checkPosition(t *testing.T, p *chess.Position, legal []chess.Move) {
	t.Helper()
	if p.Key() != p.ComputeKey() {
		t.Errorf("%s: key %x, recomputed %x", p, p.Key(), p.ComputeKey())
	}
	back, err := chess.ParseFEN(p.FEN())
	if err != nil || !back.Equal(p) || back.Key() != p.Key() {
		t.Fatalf("%s reads back as %v, %v", p, back, err)
	}
	want := slices.Clone(legal)
	slices.Sort(want)
	compare := func(name string, got []chess.Move) {
		t.Helper()
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %s\n got %v\nwant %v", p, name, got, want)
		}
	}
	var looked []chess.Move
	us := p.SideToMove()
	for _, m := range movegen.Pseudo(p, nil) {
		if p.IsLegal(m) != slices.Contains(legal, m) {
			t.Errorf("%s: IsLegal(%v) = %v", p, m, p.IsLegal(m))
		}
		p.Make(m)
		if !p.Attacked(p.King(us), us.Other(), p.Occupied()) {
			looked = append(looked, m)
		}
		p.Unmake()
	}
	compare("make and look", looked)
	checkLists(t, p)
	frame, geometry := perft.FrameOf(p)
	for path := movegen.Magic; path <= movegen.AVX512; path++ {
		if b, err := perft.For(path); err == nil && int(b.Count(&frame, &geometry)) != len(legal) {
			t.Errorf("%s: %s counts %d moves, want %d", p, path, b.Count(&frame, &geometry), len(legal))
		}
	}
	if p.Chess960() {
		return
	}
	for name, list := range references(t, p) {
		compare(name, list)
	}
}

// references returns the legal moves of p by the reference generators.
func references(t *testing.T, p *chess.Position) map[string][]chess.Move {
	t.Helper()
	m, errM := mailbox.New(p)
	x, errX := x88.New(p)
	r, errR := rays.New(p)
	if errM != nil || errX != nil || errR != nil {
		t.Fatalf("%s: %v, %v, %v", p, errM, errX, errR)
	}
	return map[string][]chess.Move{"mailbox": m.Legal(nil), "x88": x.Legal(nil), "rays": r.Legal(nil)}
}
