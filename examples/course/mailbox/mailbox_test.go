package mailbox

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestState makes every legal move of the suite, two plies deep, and compares each field of the packed word.
func TestState(t *testing.T) {
	for _, line := range kit.Suite(t, "published.epd") {
		for _, fen := range []string{line.FEN, kit.Mirror(line.FEN)} {
			p := kit.Position(t, fen)
			b, err := read(fen)
			kit.Succeed(t, err)
			follow(t, p, b, 2)
		}
	}
}

func follow(t *testing.T, p *chess.Position, b board, depth int) {
	passed := 0
	if s := p.EnPassant(); s != chess.NoSquare {
		passed = Index(s)
	}
	s := b.state
	got := [5]int{s.side(), s.king(0), s.king(1), int(s / whiteShort), s.passed()}
	want := [5]int{int(p.SideToMove()), Index(p.King(chess.White)), Index(p.King(chess.Black)), int(p.Castling()), passed}
	if got != want {
		t.Fatalf("%s: side, kings, rights and en passant are %v, want %v", p.FEN(), got, want)
	}
	var v vector
	b.generate(&v, true)
	for _, m := range append(v.tactical, v.quiet...) {
		after, legal := b.make(m)
		made, err := p.ParseUCI(m.String())
		if legal != (err == nil) {
			t.Fatalf("%s: %s: legal %t", p.FEN(), m, legal)
		}
		if legal && depth > 0 {
			p.Make(made)
			follow(t, p, after, depth-1)
			p.Unmake()
		}
	}
}

// TestVectors fills the same vectors again: nothing is allocated, and tactical moves alone are those of both lists.
func TestVectors(t *testing.T) {
	vectors := newVectors(3)
	var alone vector
	for _, line := range kit.Suite(t, "published.epd") {
		b, err := read(line.FEN)
		kit.Succeed(t, err)
		if n := testing.AllocsPerRun(1, func() { b.perft(2, vectors) }); n != 0 {
			t.Errorf("%s: perft allocates %v times", line.FEN, n)
		}
		b.generate(&vectors[2], true)
		b.generate(&alone, false)
		if !slices.Equal(alone.tactical, vectors[2].tactical) || len(alone.quiet) != 0 {
			t.Errorf("%s: alone %v, want %v and no quiet move", line.FEN, alone, vectors[2].tactical)
		}
		if n := len(vectors[2].tactical) + len(vectors[2].quiet); n < len(movegen.Legal(kit.Position(t, line.FEN), nil)) {
			t.Errorf("%s: %d moves", line.FEN, n)
		}
	}
}

// BenchmarkGenerate lists the moves of seven positions: all, and tactical ones alone.
func BenchmarkGenerate(b *testing.B) {
	for _, quiet := range []bool{true, false} {
		b.Run(fmt.Sprintf("quiet=%t", quiet), func(b *testing.B) {
			var boards []board
			for _, p := range kit.Suite(b, "published.epd")[:7] {
				board, _ := read(p.FEN)
				boards = append(boards, board)
			}
			v := &newVectors(1)[0]
			for b.Loop() {
				for i := range boards {
					boards[i].generate(v, quiet)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(boards)), "ns/position")
		})
	}
}
