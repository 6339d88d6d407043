package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/search"
)

// drawEvery is the time between two drawings of the live display.
const drawEvery = 80 * time.Millisecond

// AnalysisSettings describe an analysis.
type AnalysisSettings struct {
	Engine   *search.Engine
	Position *chess.Position
	Limits   search.Limits // how long to search
	Lines    int           // best lines to show, at least 1
	Title    string        // engine name and what it runs on
	Color    bool          // colours on a terminal
	Plain    bool          // plain lines, also on a terminal
	JSON     bool          // only the result, as a line of JSON
	Name     string        // of the position, "" for none
}

// Analyse analyses a position and shows the progress on out: as a live display if out is a terminal,
// line by line otherwise. If ctx is done, it shows the result so far and returns
// exit.ErrInterrupted. The cursor of the terminal is visible again in every case.
// The error of the last write to out is returned, so that a command with more positions ends.
func Analyse(ctx context.Context, out io.Writer, s AnalysisSettings) (err error) {
	v := newView(s)
	switch text := verdict(s.Position); {
	case s.JSON:
		err = runJSON(ctx, out, s, v)
	case text != "":
		_, err = fmt.Fprintln(out, text)
	case command.Terminal(out) && !s.Plain:
		runLive(ctx, out, s, v)
	default:
		err = runPlain(ctx, out, s, v)
	}
	if err == nil && ctx.Err() != nil {
		return exit.ErrInterrupted
	}
	return err
}

// verdict describes a finished game.
func verdict(p *chess.Position) string {
	switch p.Outcome() {
	case chess.Checkmate:
		return "Checkmate: " + capital(p.SideToMove().Other().String()) + " has won."
	case chess.Stalemate:
		return "Stalemate: the game is drawn."
	}
	return ""
}

// start starts the search and returns a channel that is closed when the search ends. The search
// ends early if ctx is done.
func start(ctx context.Context, s AnalysisSettings, v *liveState, told func(search.Info)) <-chan struct{} {
	done := make(chan struct{})
	limits := s.Limits
	limits.Start = time.Now()
	opts := search.Options{MultiPV: s.Lines, Tables: search.AllTables()}
	go func() {
		defer close(done)
		a, _ := s.Engine.Analyse(ctx, s.Position, limits, opts, func(in search.Info) { // the callers check ctx
			v.take(in)
			told(in)
		})
		v.finish(a.Best, len(a.Lines))
	}()
	return done
}

// runPlain prints one text line for each best line at each depth.
func runPlain(ctx context.Context, out io.Writer, s AnalysisSettings, v *liveState) error {
	fmt.Fprint(out, v.plainHeader())
	<-start(ctx, s, v, func(in search.Info) {
		if in.Bound == eval.Exact && len(in.PV) > 0 {
			fmt.Fprint(out, v.plainLine(max(in.MultiPV, 1)-1))
		}
	})
	_, err := fmt.Fprint(out, v.plainResult())
	return err
}

// runJSON writes only the result.
func runJSON(ctx context.Context, out io.Writer, s AnalysisSettings, v *liveState) error {
	if s.Position.HasLegalMove() {
		<-start(ctx, s, v, func(search.Info) {})
	}
	return json.NewEncoder(out).Encode(v.report())
}

// runLive redraws the display in place until the search has ended.
func runLive(ctx context.Context, out io.Writer, s AnalysisSettings, v *liveState) {
	screen := newScreen(out, s.Color)
	defer screen.close()
	done := start(ctx, s, v, func(search.Info) {})
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
		}
		width, height, _ := command.Size(out)
		screen.draw(v.picture(width, height, screen.style))
	}
}
