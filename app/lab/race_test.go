package lab

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/internal/must"
)

// TestRace lets all generators count to the end.
func TestRace(t *testing.T) {
	for _, tt := range []struct {
		fen   string
		depth int
		nodes uint64
	}{
		{positions[0], 1, 20}, {positions[0], 4, 197281}, {positions[1], 3, 97862}, {positions[3], 2, 0},
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 5, 0},
	} {
		p := chesstest.Position(t, tt.fen)
		var last Race
		r, err := Run(t.Context(), p, tt.depth, func(now Race) { last = now })
		must.Succeed(t, err)
		d, err := Divide(t.Context(), p, tt.depth, "", func(Counted) {})
		must.Succeed(t, err)
		for i, runner := range r.Runners {
			if runner.Nodes != d.Nodes || tt.nodes > 0 && runner.Nodes != tt.nodes || runner != last.Runners[i] {
				t.Errorf("%s, depth %d: %v, want %d nodes", tt.fen, tt.depth, runner, d.Nodes)
			}
		}
	}
}

// TestRaceEnds ends a race, and refuses Chess960.
func TestRaceEnds(t *testing.T) {
	p := chesstest.Position(t, positions[0])
	gone := errors.New("gone")
	ctx, end := context.WithCancelCause(t.Context())
	if _, err := Run(ctx, p, MaxDepth, func(Race) { end(gone) }); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	p, err := chess.NewChess960(0)
	must.Succeed(t, err)
	if _, err := Run(t.Context(), p, 1, nil); !errors.As(err, new(*Fault)) {
		t.Error("a position of Chess960 was accepted")
	}
}

// TestNative compares the figures with those that are measured for the documents.
func TestNative(t *testing.T) {
	text := filestest.Read(t, "../../docs/generators.md")
	for name, figures := range native {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \|.* ([0-9.]+) M/s \| \*\*([0-9.]+)×`).FindSubmatch(text)
		for i, want := range figures {
			if row == nil {
				t.Fatalf("docs/generators.md does not have %s", name)
			}
			if got, err := strconv.ParseFloat(string(row[i+1]), 64); err != nil || got != want {
				t.Errorf("%s: %v, docs/generators.md has %v", name, want, got)
			}
		}
	}
}

// TestTryMagic tries the factors of the tables, others, and those that are found.
func TestTryMagic(t *testing.T) {
	for _, piece := range []string{"bishop", "rook"} {
		for _, sq := range []chess.Square{chess.A1, chess.D4, chess.H8} {
			m, _, _ := magicOf(piece == "bishop", sq)
			for _, factor := range []string{word(m.Factor), ""} {
				trial, err := TryMagic(piece, sq.String(), factor)
				if err != nil || trial.Collisions != 0 || trial.First != nil || trial.Sets != 1<<trial.Bits || (trial.Tries > 0) != (factor == "") {
					t.Errorf("%s on %s, factor %q: %+v, error %v", piece, sq, factor, trial, err)
				}
			}
			trial, err := TryMagic(piece, sq.String(), "1")
			if err != nil || trial.Collisions == 0 || trial.First == nil {
				t.Fatalf("%s on %s: %+v, error %v", piece, sq, trial, err)
			}
			m.Factor = 1
			a, b := uint64(bitboard(t, trial.First.A)), uint64(bitboard(t, trial.First.B))
			bishop := piece == "bishop"
			if m.Index(a) != m.Index(b) || geom.Slider(bishop, int(sq), a) == geom.Slider(bishop, int(sq), b) {
				t.Errorf("%s on %s: %#x and %#x do not collide", piece, sq, a, b)
			}
		}
	}
	if _, err := TryMagic("queen", "a1", ""); !errors.As(err, new(*Fault)) {
		t.Error(err)
	}
	if _, err := TryMagic("rook", "a9", "1"); !errors.As(err, new(*Fault)) {
		t.Error(err)
	}
}

// TestAllMagics has the tries of the generator's own search.
func TestAllMagics(t *testing.T) {
	steps := 0
	got, err := AllMagics(t.Context(), func(Magics) { steps++ })
	if err != nil || steps != 128 {
		t.Fatalf("error %v, %d steps", err, steps)
	}
	i := 0
	for found := range magic.All() {
		list := got.Rook
		if found.Bishop {
			list = got.Bishop
		}
		if list[found.Square] != found.Tries || found.Tries < 1 {
			t.Errorf("%v, want %v", list[found.Square], found)
		}
		i++
	}
	if m, _, _ := magicOf(false, chess.H8); i != 128 || m.Mask == 0 {
		t.Errorf("%d squares", i)
	}
}
