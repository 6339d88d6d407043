package session

import (
	"github.com/tabula-chess/tabula/app/lab"
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
