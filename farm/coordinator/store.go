package coordinator

import (
	"context"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
)

// Store is what a coordinator needs of the streams. A link.Conn is one. Every method may
// fail, and is called again then.
type Store interface {
	OpenRuns(ctx context.Context) ([]link.Open, error)
	EndedRuns(ctx context.Context) ([]link.End, error)
	Manifest(ctx context.Context, id string) (*run.Manifest, error)

	// Since returns messages of a stream from a number on; see link.Conn.Since.
	Since(ctx context.Context, stream, filter string, seq uint64) ([]link.Msg, error)

	Bans(ctx context.Context) ([]link.Ban, error)
	Drains(ctx context.Context) ([]string, error)
	Drained(ctx context.Context, worker string) error
	GivenUp(ctx context.Context, id string) (map[int]string, error)
	GiveUp(ctx context.Context, id string, index int, why string) error
	Kept(ctx context.Context, id string) (jobs int, err error)
	PutEnd(ctx context.Context, e link.End) error
	Forget(ctx context.Context, id string) error
	Space(ctx context.Context) (used, limit int64, err error)
}
