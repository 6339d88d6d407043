//go:build !js && !wasip1

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabula-chess/tabula/board"
)

// fairTime is how long the clients of BenchmarkFair search.
const fairTime = time.Minute

// BenchmarkFair lets a hundred clients analyse without an end at one engine, each tenth
// of them by eight requests at once, and reports what share of all their time of
// searching the clients had at least and at most, in per cent, as they are told it.
func BenchmarkFair(b *testing.B) {
	const clients = 100
	for b.Loop() {
		address := start(b, nil)
		had := make([]time.Duration, clients)
		var all sync.WaitGroup
		for i := range clients {
			conn := dial(b, address, nil)
			all.Go(func() {
				var err error
				if had[i], err = analyseFor(b.Context(), conn, 1+7*(i%10/9)); err != nil {
					b.Errorf("client %d: %v", i, err)
				}
			})
		}
		all.Wait()
		slices.Sort(had)
		var sum time.Duration
		for _, h := range had {
			sum += h
		}
		b.ReportMetric(100*had[0].Seconds()/sum.Seconds(), "lowest-%")
		b.ReportMetric(100*had[clients/2].Seconds()/sum.Seconds(), "median-%")
		b.ReportMetric(100*had[clients-1].Seconds()/sum.Seconds(), "highest-%")
		b.ReportMetric(100*sum.Seconds()/fairTime.Seconds(), "searched-%")
	}
}

// analyseFor analyses by so many requests at once, stops them after fairTime, and
// returns how long they searched by their last replies.
func analyseFor(ctx context.Context, conn *websocket.Conn, requests int) (had time.Duration, err error) {
	for n := range requests {
		if err := send(ctx, conn, fmt.Sprintf(`{"id":%d,"do":"analyse","position":{"moves":["e4"]}}`, n)); err != nil {
			return 0, err
		}
	}
	stop := time.AfterFunc(fairTime, func() {
		for n := range requests {
			_ = send(ctx, conn, fmt.Sprintf(`{"id":%d,"do":"stop","target":%d}`, requests+n, n)) // the replies say it
		}
	})
	defer stop.Stop()
	for finals := 0; finals < 2*requests; {
		m, err := receive(ctx, conn)
		switch {
		case err != nil:
			return 0, err
		case m.Error != nil:
			return 0, fmt.Errorf("request %s: %v", m.ID, m.Error)
		case m.Result != nil:
			finals++
			var a board.Analysis
			if err := json.Unmarshal(m.Result, &a); err != nil {
				return 0, err
			}
			if a.Info != nil {
				had += time.Duration(a.Info.Time) * time.Millisecond
			}
		}
	}
	return had, nil
}
