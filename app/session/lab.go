package session

import (
	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/chess"
)

// explainFields are the fields of explain.
type explainFields struct {
	Head
	Position Place  `json:"position"`
	Move     string `json:"move"`
}

// explain answers explain.
func (s *Session) explain(f *explainFields) (any, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong != nil {
		return nil, wrong
	}
	out, err := lab.Explain(p, f.Move)
	if err != nil {
		return nil, fault("move", "%.40q: %v", f.Move, err)
	}
	return out, nil
}

// lookupFields are the fields of lookup.
type lookupFields struct {
	Head
	Piece    string `json:"piece"`
	Square   string `json:"square"`
	Blockers string `json:"blockers"`
}

// lookup answers lookup.
func (s *Session) lookup(f *lookupFields) (any, *Error) {
	sq, err := chess.ParseSquare(f.Square)
	if err != nil {
		return nil, fault("square", "%.40q: %v", f.Square, lab.ErrSquare)
	}
	blockers, err := lab.ReadWord(f.Blockers)
	if err != nil {
		return nil, fault("blockers", "%.40q: %v", f.Blockers, err)
	}
	out, err := lab.Look(f.Piece, sq, blockers)
	if err != nil {
		return nil, fault("piece", "%.40q: %v", f.Piece, err)
	}
	return out, nil
}
