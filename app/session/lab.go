package session

import (
	"context"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/chess"
)

// labFields are the fields of the requests that package lab answers; each uses some of them.
type labFields struct {
	placeFields
	Move   string `json:"move"`
	Depth  int    `json:"depth"`
	Theirs string `json:"theirs"`
}

// explain answers explain.
func explain(_ *call, p *chess.Position, f *labFields) (any, error) { return lab.Explain(p, f.Move) }

// divide answers divide.
func divide(c *call, p *chess.Position, f *labFields) (any, error) {
	return c.experiment(func(ctx context.Context) (any, error) {
		return lab.Divide(ctx, p, f.Depth, f.Theirs, func(n lab.Counted) { c.progress(n) })
	}), f.checkDepth()
}

// race answers race.
func race(c *call, p *chess.Position, f *labFields) (any, error) {
	return c.experiment(func(ctx context.Context) (any, error) {
		return lab.Run(ctx, p, f.Depth, func(r lab.Race) { c.progress(r) })
	}), f.checkDepth()
}

func (f *labFields) checkDepth() error { return within("depth", int64(f.Depth), 1, lab.MaxDepth) }

// experiment returns the work of a request that counts or searches in package lab.
func (c *call) experiment(run func(ctx context.Context) (any, error)) work {
	return func() (result any, err error) {
		err = c.place(counting, func(ctx context.Context) (err error) {
			result, err = run(ctx)
			return err
		})
		return result, err
	}
}
