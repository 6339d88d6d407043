package search

import "github.com/tabula-chess/tabula/chess"

// legalLine returns the line of r, cut where a move is not legal or the game
// is over. The result is valid until the next call.
func (w *worker) legalLine(r *rootMove) []chess.Move {
	p := w.pos
	n := 0
	for n < r.length && p.IsLegal(r.line[n]) {
		p.Make(r.line[n])
		n++
		if w.gameOver() {
			break
		}
	}
	for range n {
		p.Unmake()
	}
	r.length = n
	return r.line[:n]
}

// gameOver reports whether the rules end the game here.
func (w *worker) gameOver() bool {
	p := w.pos
	return !p.HasLegalMove() || p.HalfmoveClock() >= 100 || p.Repetitions() >= 2 || p.InsufficientMaterial()
}
