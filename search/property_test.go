package search

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search/plain"
)

// drawPosition draws a position of few men, of a random game or a set-up.
func drawPosition(t *rapid.T) *chess.Position {
	if rapid.Bool().Draw(t, "game") {
		return drawGame(t)
	}
	return drawSetUp(t)
}

// drawGame draws the end of a random game.
func drawGame(t *rapid.T) *chess.Position {
	p := chess.NewPosition()
	for range rapid.IntRange(1, 80).Draw(t, "plies") {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		p.Make(moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")])
	}
	return p
}

// drawSetUp draws a position of White's heavy pieces against few men.
func drawSetUp(t *rapid.T) *chess.Position {
	men := "KkQRRBNPPpqrbnppp"
	for {
		board := [64]byte{}
		for _, man := range []byte(men[:2] + men[2:2+rapid.IntRange(1, len(men)-2).Draw(t, "men")]) {
			low, high := 0, 63
			if man == 'P' || man == 'p' {
				low, high = 8, 55
			}
			if at := rapid.IntRange(low, high).Draw(t, "square"); board[at] == 0 {
				board[at] = man
			} else if man == 'K' || man == 'k' {
				board[(at+9)%64] = man
			}
		}
		side := rapid.SampledFrom([]string{"w", "b"}).Draw(t, "side")
		if p, err := chess.ParseFEN(placement(&board) + " " + side + " - - 0 1"); err == nil {
			return p
		}
	}
}

// placement returns the first field of a FEN; the first square is a8.
func placement(board *[64]byte) string {
	var text []byte
	for i, man := range board {
		if i > 0 && i%8 == 0 {
			text = append(text, '/')
		}
		switch last := len(text) - 1; {
		case man != 0:
			text = append(text, man)
		case last >= 0 && text[last] >= '1' && text[last] < '8':
			text[last]++
		default:
			text = append(text, '1')
		}
	}
	return string(text)
}

// mirror returns p with the colours exchanged and the board upside down.
func mirror(t *rapid.T, p *chess.Position) *chess.Position {
	board := [64]byte{}
	for sq := chess.Square(0); sq < 64; sq++ {
		if pc := p.Piece(sq); pc != chess.NoPiece {
			board[sq] = "PNBRQKpnbrqk"[pc.Type()+6*btoi2(pc.Color() == chess.White)] // sq of White's first rank becomes the eighth of the text
		}
	}
	side := "b"
	if p.SideToMove() == chess.Black {
		side = "w"
	}
	q, err := chess.ParseFEN(placement(&board) + " " + side + " - - 0 1")
	if err != nil {
		t.Fatalf("mirror of %s: %v", p, err)
	}
	return q
}

func btoi2(b bool) chess.PieceType { return chess.PieceType(btoi(b)) }

// TestColoursAreAlike: what the search knows of a position does not depend on
// the colour of the side to move. The network looks from each side alike, so
// that it is its own mirror.
func TestColoursAreAlike(t *testing.T) {
	e := engine(t)
	w := e.workers[0]
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t)
		if p.Castling() != 0 || p.EnPassantLegal() || p.HalfmoveClock() > 0 {
			q, err := chess.ParseFEN(placementOf(p) + map[chess.Color]string{chess.White: " w", chess.Black: " b"}[p.SideToMove()] + " - - 0 1")
			if err != nil {
				t.Skip(err)
			}
			p = q
		}
		q := mirror(t, p)
		var views [2]view
		for i, position := range []*chess.Position{p, q} {
			views[i] = look(w, position, i == 1)
		}
		if views[0] != views[1] {
			t.Fatalf("%s: %+v, in the mirror %+v", p, views[0], views[1])
		}
	})
}

// placementOf returns the first field of the FEN of p.
func placementOf(p *chess.Position) string {
	fen := p.FEN()
	for i := range fen {
		if fen[i] == ' ' {
			return fen[:i]
		}
	}
	return fen
}

// view is what a colour must not change.
type view struct {
	eval, value     eval.Score
	moves, captures int
	gains           uint64 // which moves win material by exchange
	checks, drawn   int
}

// look returns the view of p. Squares of the mirror are turned back.
func look(w *worker, p *chess.Position, mirrored bool) view {
	w.prepare(p, nil)
	w.at(0).checksKnown = false
	v := view{eval: w.evaluate(), drawn: btoi(w.isDraw(1))}
	s := plain.Search{Eval: w.eval.Evaluate}
	v.value, _ = s.Value(w.pos, 0, 2, -infinity, infinity)
	for _, m := range movegen.Legal(w.pos, nil) {
		v.moves++
		v.captures += btoi(isTactical(w.pos, m))
		v.checks += btoi(w.givesCheck(0, m))
		turn := chess.Square(0)
		if mirrored {
			turn = 56
		}
		for _, threshold := range []int{-300, 0, 1, 300} {
			if see(w.pos, m, threshold) {
				v.gains += uint64(threshold+1000) * (uint64(m.From()^turn)*64 + uint64(m.To()^turn)) * uint64(m.PromotionType()+1)
			}
		}
	}
	return v
}

// TestProvenMatesAreFound: where a plain search proves a mate in up to two
// moves, the search gives the same distance.
func TestProvenMatesAreFound(t *testing.T) {
	e := engine(t)
	mates := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawSetUp(t)
		plies := plain.MateIn(p.Clone(), 3)
		if plies == 0 {
			return
		}
		mates++
		e.Clear()
		r := e.Search(p, Limits{Mate: (plies + 1) / 2, Nodes: 1_000_000}, Options{}, nil)
		if want := mate - eval.Score(plies); r.Score != want {
			t.Fatalf("%s: score %d, but mate in %d plies", p, r.Score, plies)
		}
	})
	t.Logf("%d mates", mates)
}

// TestTableBoundsHold searches random positions with an evaluation of zero:
// every entry near the root bounds the plain value, which is zero or a mate.
func TestTableBoundsHold(t *testing.T) {
	e := engine(t)
	e.SetNetwork(zeroNetwork(t))
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t)
		if p.HalfmoveClock() > 60 || !p.HasLegalMove() {
			return
		}
		e.Clear()
		e.Search(p, Limits{Nodes: 1500}, Options{}, nil)
		w := e.workers[0]
		w.prepare(p, rootMoves(p, nil))
		eachSearched(w, 0, func(ply int, tt entry) {
			alpha, beta := tt.score-1, tt.score+1
			switch tt.bound {
			case Lower:
				beta = tt.score
			case Upper:
				alpha = tt.score
			}
			plies := matePlies(tt.score) - ply
			if isMate(tt.score) && plies > 3 {
				return
			}
			if !honestOn(w.pos, ply, tt.score, alpha, beta) {
				t.Fatalf("%s: after %v: %s on ply %d: the table says %d, bound %d", p, w.pos.LastMove(), w.pos, ply, tt.score, tt.bound)
			}
		})
	})
}
