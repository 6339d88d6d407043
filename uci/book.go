package uci

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// setBook sets the option BookFile. Where the new one cannot be read there is none.
func (s *session) setBook(name string) error {
	s.closeBook()
	if name == "" {
		return nil
	}
	book, err := polyglot.Open(name)
	if err != nil {
		return err
	}
	s.book = book
	s.out.note("book: %s", plural.Of(book.Len(), "move"))
	return nil
}

// closeBook leaves the book.
func (s *session) closeBook() {
	if s.book == nil {
		return
	}
	if err := s.book.Close(); err != nil {
		s.out.note("error: %v", err)
	}
	s.book = nil
}

// bookMove returns a move of the book for a go command that asks for a move to be played,
// not for an analysis.
func (s *session) bookMove(r request) (chess.Move, bool) {
	l := &r.limits
	if !s.set.ownBook || s.book == nil || s.set.strength.analysis || !r.bounded || l.Infinite || l.Ponder ||
		l.Mate > 0 || len(l.SearchMoves) > 0 || s.set.multiPV > 1 {
		return chess.NoMove, false
	}
	m, ok, err := s.book.Pick(s.root, nil)
	if err != nil {
		s.out.note("error: %v", err)
	}
	return m, ok && err == nil
}
