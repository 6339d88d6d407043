package session

import (
	"errors"

	"github.com/tabula-chess/tabula/app/lab"
)

// labFields are the fields of the requests that package lab answers; each uses some of them.
type labFields struct {
	Position Place  `json:"position"`
	Move     string `json:"move"`
	Piece    string `json:"piece"`
	Square   string `json:"square"`
	Blockers string `json:"blockers"`
	Factor   string `json:"factor"`
	Depth    int    `json:"depth"`
	Theirs   string `json:"theirs"`
}

// labReply converts a result of package lab to a reply.
func labReply[T any](out T, err error) (any, *Error) {
	if wrong, ok := errors.AsType[*lab.Fault](err); ok {
		return nil, &Error{Field: wrong.Field, Reason: wrong.Reason, Line: wrong.Line}
	} else if err != nil {
		return nil, fault("", "%v", err)
	}
	return out, nil
}

// explain answers explain.
func (s *Session) explain(f *labFields) (any, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong != nil {
		return nil, wrong
	}
	return labReply(lab.Explain(p, f.Move))
}
