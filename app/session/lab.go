package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/chess"
)

// labFields are the fields of the requests that package lab answers; each uses some of them.
type labFields struct {
	Position Place  `json:"position"`
	Move     string `json:"move"`
	Piece    string `json:"piece"`
	Square   string `json:"square"`
	Blockers string `json:"blockers"`
	Factor   string `json:"factor"`
	Mask     string `json:"mask"`
	PEXT     bool   `json:"pext"`
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

// attacks answers lookup.
func (s *Session) attacks(f *labFields) (any, *Error) {
	return labReply(lab.Look(f.Piece, f.Square, f.Blockers))
}

// magic answers magic.
func (s *Session) magic(f *labFields) (any, *Error) {
	return labReply(lab.TryMagic(f.Piece, f.Square, f.Factor, f.Mask, f.PEXT))
}

// magics answers magics.
func (s *Session) magics(*call, *bare) (work, *Error) {
	return s.experiment(func(ctx context.Context, tell func(any)) (any, *Error) {
		return labReply(lab.AllMagics(ctx, func(m lab.Magics) { tell(m) }))
	}), nil
}

// tree returns the position and checks the depth of the count.
func (f *labFields) tree() (*chess.Position, *Error) {
	p, wrong := f.Position.read(nil)
	return p, cmp.Or(wrong, within("depth", int64(f.Depth), 1, lab.MaxDepth))
}

// divide answers divide.
func (s *Session) divide(_ *call, f *labFields) (work, *Error) {
	p, wrong := f.tree()
	if wrong != nil {
		return nil, wrong
	}
	return s.experiment(func(ctx context.Context, tell func(any)) (any, *Error) {
		return labReply(lab.Divide(ctx, p, f.Depth, f.Theirs, func(c lab.Counted) { tell(c) }))
	}), nil
}

// race answers race.
func (s *Session) race(_ *call, f *labFields) (work, *Error) {
	p, wrong := f.tree()
	if wrong != nil {
		return nil, wrong
	}
	return s.experiment(func(ctx context.Context, tell func(any)) (any, *Error) {
		return labReply(lab.Run(ctx, p, f.Depth, func(r lab.Race) { tell(r) }))
	}), nil
}

// experiment returns the work of a request that counts or searches in package lab. It waits for its
// turn.
func (s *Session) experiment(run func(ctx context.Context, tell func(any)) (any, *Error)) work {
	return func(c *call) (any, *Error) {
		ctx := c.ctx
		if bound := s.service.longest; bound > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, bound, fmt.Errorf("it took longer than %v", bound))
			defer cancel()
		}
		leave, err := s.enter(ctx, counting)
		if err != nil {
			return nil, fault("", "%v", err)
		}
		defer leave()
		id := c.id
		return run(ctx, func(progress any) {
			s.out.event(c.key, func() Reply { return Reply{ID: id, Progress: progress} })
		})
	}
}
