package coordinator

import (
	"context"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
)

// Serve coordinates a farm through a connection until ctx ends. report, which may be nil,
// is given a view about once a second.
func Serve(ctx context.Context, conn *link.Conn, c Config, report func(*View)) error {
	if c.Store == nil {
		c.Store = conn
	}
	at := New(c, time.Now())
	messages := make(chan link.Incoming, 1<<12)
	stop, err := conn.Listen(func(m link.Incoming) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	defer stop()
	every := time.NewTicker(c.Times.Poll)
	defer every.Stop()
	said, saidAt, reported := "", time.Time{}, time.Time{}
	for {
		now := time.Now()
		if err := at.Look(ctx, now); err != nil && ctx.Err() == nil && (err.Error() != said || now.Sub(saidAt) > 10*time.Second) {
			at.log.Warn("waits", "for", err)
			said, saidAt = err.Error(), now
		}
		if report != nil && now.Sub(reported) >= time.Second {
			report(at.View(now))
			reported = now
		}
		for looking := false; !looking; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-conn.Closed():
				return conn.Err()
			case m := <-messages:
				at.Take(time.Now(), m)
			case <-every.C:
				looking = true
			}
		}
	}
}
