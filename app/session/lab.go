package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
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

// magicFields are the fields of magic.
type magicFields struct {
	Head
	Piece  string `json:"piece"`
	Square string `json:"square"`
	Factor string `json:"factor"`
}

// magic answers magic.
func (s *Session) magic(f *magicFields) (any, *Error) {
	sq, err := chess.ParseSquare(f.Square)
	if err != nil {
		return nil, fault("square", "%.40q: %v", f.Square, lab.ErrSquare)
	}
	out, err := lab.TryMagic(f.Piece, sq, f.Factor)
	switch {
	case errors.Is(err, lab.ErrWord):
		return nil, fault("factor", "%.40q: %v", f.Factor, err)
	case err != nil:
		return nil, fault("piece", "%.40q: %v", f.Piece, err)
	}
	return out, nil
}

// magics answers magics.
func (s *Session) magics(*call, *bare) (work, *Error) {
	return s.experiment(func(ctx context.Context, tell func(any)) (any, error) {
		return lab.AllMagics(ctx, func(m lab.Magics) { tell(m) })
	}), nil
}

// raceFields are the fields of race.
type raceFields struct {
	Head
	Position Place `json:"position"`
	Depth    int   `json:"depth"`
}

// race answers race.
func (s *Session) race(_ *call, f *raceFields) (work, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong = firstFault(wrong, within("depth", int64(f.Depth), 1, lab.MaxDepth)); wrong != nil {
		return nil, wrong
	}
	runners, err := lab.NewRace(p)
	if err != nil {
		return nil, fault("position", "%v", err)
	}
	return s.experiment(func(ctx context.Context, tell func(any)) (any, error) {
		return runners.Run(ctx, f.Depth, func(r lab.Race) { tell(r) })
	}), nil
}

// divideFields are the fields of divide.
type divideFields struct {
	Head
	Position Place  `json:"position"`
	Depth    int    `json:"depth"`
	Theirs   string `json:"theirs"`
}

// divide answers divide.
func (s *Session) divide(_ *call, f *divideFields) (work, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong = firstFault(wrong, within("depth", int64(f.Depth), 1, lab.MaxDepth)); wrong != nil {
		return nil, wrong
	}
	return s.experiment(func(ctx context.Context, tell func(any)) (any, error) {
		return lab.Divide(ctx, p, f.Depth, f.Theirs, func(c lab.Counted) { tell(c) })
	}), nil
}

// experiment returns the work of a request that counts or searches for package lab, when
// it has its turn.
func (s *Session) experiment(run func(ctx context.Context, tell func(any)) (any, error)) work {
	return func(c *call) (any, *Error) {
		ctx := c.ctx
		if bound := s.board.config.Search; bound > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, bound, fmt.Errorf("it may take %v", bound))
			defer cancel()
		}
		turn, err := s.board.labs.take(ctx, &s.counts, 0)
		if err != nil {
			return nil, fault("", "%v", err)
		}
		defer turn.give()
		out, err := run(ctx, func(progress any) {
			id := c.id
			s.out.event(c.key, func() Reply { return Reply{ID: id, Progress: progress} })
		})
		var unread *perft.DivideError
		switch {
		case errors.As(err, &unread):
			return nil, &Error{Field: "theirs", Reason: unread.Error(), Line: unread.Line}
		case err != nil:
			return nil, fault("", "%v", err)
		}
		return out, nil
	}
}
