package annotate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/work"
)

// Type returns the kind of work that reviews games.
func Type() *work.Type {
	return &work.Type{Name: "annotate", Version: 2, Exact: true, New: func(work.Env) work.Kind { return new(reviews) }}
}

// reviews is the kind of work that reviews games. A job is a game. Its input is the text, nothing for an unreadable
// game; it comes to the report as a line of JSON, and the annotated game.
type reviews struct {
	Limits  review.Limits `json:"limits"`
	Hash    int           `json:"hash"`    // MiB of an engine
	Network int           `json:"network"` // number of the input that has it; 0 for the built-in one
	Tables  []int         `json:"tables"`  // see found
	Strict  bool          `json:"strict"`  // decides which games are unreadable
	Why     bool          `json:"why,omitempty"`

	work.Independent `json:"-"`

	tables   *syzygy.Tables // nil where only the spec is known
	reviewed func()         // called after each position; may be nil
	load     sync.Mutex
	network  *nnue.Network // nil until it is read

	// In the process that has the games:
	games    *source
	out      *outputs
	next     *sourceGame   // is not a job yet; nil at the end
	underWay []*sourceGame // are jobs and not folded
	size     int           // of their texts
	bad      int           // unreadable games
	short    int           // shortened ones
	written  int
}

// found describes endgame tables: the largest number of pieces, files of WDL and of DTZ; nil for none.
func found(t *syzygy.Tables) []int {
	if t == nil {
		return nil
	}
	wdl, dtz := t.Found()
	return []int{t.Pieces(), wdl, dtz}
}

// Check implements [work.Kind].
func (k *reviews) Check() error { return k.Limits.Check() }

// reviewer reviews one game at a time.
type reviewer struct {
	*reviews
	engine *search.Engine
	tables *syzygy.Tables // its own; nil for none
}

// Open implements [work.Kind].
func (k *reviews) Open(ctx context.Context, in work.Inputs) (_ work.JobWorker, err error) {
	w := &reviewer{reviews: k}
	if w.engine, err = search.NewEngine(k.Hash); err != nil {
		return nil, exit.WrongUse(err)
	}
	tables := k.tables
	if tables == nil && k.Tables != nil {
		if w.tables, err = syzygy.Open(); err == nil && !slices.Equal(found(w.tables), k.Tables) {
			err = fmt.Errorf("endgame tables %v (pieces, files of WDL, of DTZ): want %v", found(w.tables), k.Tables)
		}
		tables = w.tables
	}
	if err == nil {
		err = k.loadNetwork(ctx, in)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	if k.network != nil {
		w.engine.SetNetwork(k.network)
	}
	w.engine.SetTables(tables)
	return w, nil
}

// loadNetwork reads the network once, if there is one.
func (k *reviews) loadNetwork(ctx context.Context, in work.Inputs) error {
	k.load.Lock()
	defer k.load.Unlock()
	if k.Network == 0 || k.network != nil {
		return nil
	}
	data, err := in(ctx, k.Network-1)
	if err == nil {
		k.network, err = nnue.Read(bytes.NewReader(data))
	}
	return err
}

// Close implements [work.JobWorker].
func (w *reviewer) Close() {
	w.engine.Close()
	if w.tables != nil {
		w.tables.Close()
	}
}

// Do implements [work.JobWorker].
func (w *reviewer) Do(ctx context.Context, j work.Job) (data []byte, units float64, err error) {
	if len(j.Input) == 0 {
		return nil, 0, nil
	}
	g, err := pgn.NewReader(bytes.NewReader(j.Input)).Read()
	if err != nil {
		return nil, 0, err
	}
	options := review.Options{Limits: w.Limits, Tables: search.AllTables(), Why: w.Why}
	report, err := review.Game(ctx, w.engine, g, options, func(review.Progress) {
		if w.reviewed != nil {
			w.reviewed()
		}
	})
	if err != nil {
		return nil, 0, err
	}
	text, err := report.PGN(g)
	if err != nil {
		return nil, 0, err
	}
	data, err = json.Marshal(AnnotatedGame{Tags: append([]pgn.Tag{}, g.Tags...), Report: report})
	return append(append(data, '\n'), text...), 1, err
}

// Await implements [work.Awaiter].
func (k *reviews) Await(ctx context.Context) (err error) {
	k.next, err = k.games.read(ctx)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// underWay bounds the bytes of all games in progress; a larger game is processed alone.
const underWay = pgn.MaxGameSize / 2

// Ready implements [work.Kind].
func (k *reviews) Ready() int {
	ready := k.written + len(k.underWay)
	if k.next == nil || len(k.underWay) == 0 || k.size+k.next.size <= underWay {
		ready++
	}
	return ready
}

// Next implements [work.Kind].
func (k *reviews) Next(int) (input []byte, err error) {
	e := k.next
	if e == nil {
		return nil, io.EOF
	}
	k.next, k.underWay, k.size = nil, append(k.underWay, e), k.size+e.size
	if e.bad {
		k.bad++
		return nil, nil
	}
	if e.short {
		k.short++
	}
	input, e.text = e.text, nil
	return input, nil
}

// Add implements [work.Kind].
func (k *reviews) Add(_ int, data []byte) error {
	e := k.underWay[0]
	text, report := e.text, []byte(nil)
	var g AnnotatedGame
	if !e.bad {
		report, text, _ = bytes.Cut(data, []byte("\n"))
		if err := json.Unmarshal(report, &g); err != nil {
			return fmt.Errorf("review of game %d: %w", k.written+1, err)
		}
		game, err := pgn.NewReader(bytes.NewReader(text)).Read()
		if err != nil || g.Report == nil || len(g.Moves) != len(e.moves) || !slices.Equal(played(game), e.moves) {
			return fmt.Errorf("review of game %d: it is of another game", k.written+1)
		}
	}
	if err := k.out.write(k.written+1, text, report, g); err != nil {
		return &work.OutputError{Err: err}
	}
	k.underWay, k.size, k.written = slices.Delete(k.underWay, 0, 1), k.size-e.size, k.written+1
	return nil
}

// Text implements [work.Kind].
func (k *reviews) Text() string { return plural.Of(k.written, "game") }

// finish commits the outputs, if there is a game.
func (k *reviews) finish() error {
	if k.written == 0 {
		return nil
	}
	return k.out.commit()
}
