package generator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/uci/client"
)

// Bounds of the wait for one answer of an engine, and for a deep perft.
const (
	engineTimeout = 30 * time.Second
	perftTimeout  = 10 * time.Minute
)

// mostPrinted bounds what an engine prints for a divide, in bytes: there are 218 moves at most.
const mostPrinted = 1 << 20

// External is a UCI engine with the command "go perft", such as Stockfish. It is safe for concurrent use.
type External struct {
	Command  string // its command line
	Name     string // by the engine's own "id name"
	Chess960 bool   // it has the option UCI_Chess960
	Total    string // of its last divide, as it was written
	Printed  string // by its last divide

	mu     sync.Mutex
	client *client.Engine
	on     bool // the option is set
}

// StartEngine runs a command, split at spaces, and waits until the engine is ready. Close or the end of ctx stops
// it.
func StartEngine(ctx context.Context, line string) (*External, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, exit.WrongUsef("engine: empty command")
	}
	client, err := client.Start(ctx, client.Launch{Path: words[0], Args: words[1:], Timeout: engineTimeout})
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", line, err)
	}
	e := &External{Command: line, Name: line, client: client}
	if client.Name() != "" {
		e.Name, _, _ = strings.Cut(client.Name(), " by ")
	}
	_, e.Chess960 = client.Option("UCI_Chess960")
	return e, nil
}

// setUp returns the commands that set up p, as standard chess or Chess960. The caller holds mu.
func (e *External) setUp(p *chess.Position) (string, error) {
	style, mode := chess.FENStyle{Castling: chess.CastlingXFEN}, ""
	if wanted := p.Chess960(); wanted != e.on {
		if !e.Chess960 {
			return "", fmt.Errorf("engine %s has no option UCI_Chess960, which %s needs", e.Command, p)
		}
		e.on, mode = wanted, fmt.Sprintf("setoption name UCI_Chess960 value %t\n", wanted)
	}
	if e.on {
		style.Castling = chess.CastlingShredder
	}
	return mode + "position fen " + p.FormatFEN(style) + "\n", nil
}

// Close stops the engine.
func (e *External) Close() { _ = e.client.Close() } // it never fails

// Divide returns the engine's perft of p by root move; none where it lists no move.
func (e *External) Divide(p *chess.Position, depth int) (lines []perft.DivideLine, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	setUp, err := e.setUp(p)
	if err != nil {
		return nil, err
	}
	limit := engineTimeout
	if depth > 2 {
		limit = perftTimeout
	}
	var text strings.Builder
	printed := 0
	// The engine ends with the context that it was started with.
	err = e.client.Command(context.Background(), fmt.Sprintf("%sgo perft %d", setUp, depth), limit,
		func(line string) bool {
			total, ok := strings.CutPrefix(line, "Nodes searched")
			e.Total = strings.Trim(total, ": ")
			text.WriteString(line + "\n")
			printed++
			return ok || text.Len() > mostPrinted
		})
	e.Printed = text.String()
	switch _, late := errors.AsType[*client.TimeoutError](err); {
	case late && printed > 0:
		err = fmt.Errorf("%w; it printed %s, but none \"Nodes searched: N\", which ends the answer", err, plural.Of(printed, "line"))
	case err == nil && text.Len() > mostPrinted:
		err = fmt.Errorf("it printed %s for a divide", plural.Of(text.Len(), "byte"))
	case err == nil:
		lines, err = perft.ReadDivide(p, text.String())
		if none, ok := errors.AsType[*perft.DivideError](err); ok && none.Line == 0 {
			return nil, nil
		}
	}
	if err != nil {
		err = fmt.Errorf("engine %s: %w", e.Command, err)
	}
	return lines, err
}

// Perft lets the engine count a position.
func (e *External) Perft(p *chess.Position, depth int) (nodes uint64, err error) {
	lines, err := e.Divide(p, depth)
	for _, l := range lines {
		nodes += l.Nodes
	}
	return nodes, err
}

// checkEngine compares the legal moves with an engine's perft 1 and their replies with its perft 2. If the engine
// fails to answer, the error is kept in the rig and counts as no difference.
func (r *rig) checkEngine() *difference {
	e := r.engine
	if e == nil || !e.Chess960 && r.p.Chess960() {
		return nil
	}
	for depth := 1; depth <= 2; depth++ {
		lines, err := e.Divide(r.p, depth)
		if err != nil {
			r.err = err
			return nil
		}
		counts, listed := map[string]uint64{}, len(lines)
		for _, l := range lines {
			counts[l.Text] = l.Nodes
		}
		for i, m := range r.legal {
			want, text := uint64(1), r.p.UCI(m)
			if depth == 2 {
				want = uint64(r.outcomes[i].replies)
			}
			got, ok := counts[text]
			if !ok {
				return r.differ("engine", text, "movegen.Legal", plural.Of(len(r.legal), "move")+", with "+text,
					e.Command, plural.Of(listed, "move")+", without")
			}
			if got != want {
				return r.differ("engine", text, "movegen.Legal", plural.Of(want, "reply"), e.Command,
					plural.Of(got, "reply"))
			}
			delete(counts, text)
		}
		if len(counts) > 0 {
			extra := slices.Sorted(maps.Keys(counts))
			return r.differ("engine", extra[0], "movegen.Legal",
				plural.Of(len(r.legal), "move")+", without "+strings.Join(extra, " "),
				e.Command, plural.Of(listed, "move")+", with")
		}
	}
	return nil
}
