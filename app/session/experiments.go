//go:build !js || tabula_lab

package session

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/chess"
)

// experiments returns the handlers of the requests about package lab. On a static site the browser
// downloads the engine; there, a second program, built with the tag tabula_lab, answers these
// requests and is downloaded only when needed.
func experiments() map[string]handler {
	return map[string]handler{
		"divide": begin((*Session).divide),
		"lookup": answer((*Session).attacks),
		"magic":  answer((*Session).magic),
		"magics": begin((*Session).magics),
		"race":   begin((*Session).race),
	}
}

// attacks answers lookup.
func (s *Session) attacks(f *labFields) (any, *Error) {
	return labReply(lab.Look(f.Piece, f.Square, f.Blockers))
}

// magic answers magic.
func (s *Session) magic(f *labFields) (any, *Error) {
	return labReply(lab.TryMagic(f.Piece, f.Square, f.Factor))
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
		if bound := s.service.config.Search; bound > 0 {
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
