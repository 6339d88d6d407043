package session

import (
	"context"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/chess"
)

// labFields are the fields of the requests that package lab answers; each uses some of them.
type labFields struct {
	placeFields
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

// explain answers explain.
func explain(_ *call, p *chess.Position, f *labFields) (any, error) { return lab.Explain(p, f.Move) }

// attacks answers lookup.
func attacks(_ *call, f *labFields) (any, error) { return lab.Look(f.Piece, f.Square, f.Blockers) }

// magic answers magic.
func magic(_ *call, f *labFields) (any, error) {
	return lab.TryMagic(f.Piece, f.Square, f.Factor, f.Mask, f.PEXT)
}

// magics answers magics.
func magics(c *call, _ *bare) (any, error) {
	return c.experiment(func(ctx context.Context) (any, error) {
		return lab.AllMagics(ctx, func(m lab.Magics) { c.progress(m) })
	}), nil
}

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
