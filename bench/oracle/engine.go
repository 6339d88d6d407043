// Package oracle asks a UCI engine that knows "go perft", as Stockfish does, to
// be held against Tabula's generators. Package uci/client drives it.
package oracle

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/uci/client"
)

// engineTimeout bounds the wait for one answer of an engine.
const engineTimeout = 30 * time.Second

// Engine is a UCI engine that knows "go perft", as Stockfish does. It may be
// asked from several goroutines, one at a time.
type Engine struct {
	Command  string // that started it
	Name     string // what it calls itself, without its authors
	Chess960 bool   // it has the option UCI_Chess960, which is then on

	mu     sync.Mutex
	client *client.Engine
}

// Start runs a command, words separated by spaces, and waits until the
// engine is ready. Close ends it, and so does the end of ctx. Castling is written
// as king takes rook where the engine knows Chess960.
func Start(ctx context.Context, line string) (*Engine, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, command.WrongUsef("engine: empty command")
	}
	program, err := Find(words[0])
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	client, err := client.Start(ctx, client.Config{Path: program, Args: words[1:], Timeout: engineTimeout})
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", line, err)
	}
	e := &Engine{Command: line, Name: line, client: client}
	if client.Name() != "" {
		e.Name, _, _ = strings.Cut(client.Name(), " by ")
	}
	if _, e.Chess960 = client.Option("UCI_Chess960"); e.Chess960 {
		if err := client.SetOption(ctx, "UCI_Chess960", "true"); err != nil {
			e.Close()
			return nil, fmt.Errorf("engine %s: %w", line, err)
		}
	}
	return e, nil
}

// Close ends the engine.
func (e *Engine) Close() { _ = e.client.Close() } // it never fails

// ask sends commands and hands the answer to take, line by line, until that
// returns true.
func (e *Engine) ask(commands string, limit time.Duration, take func(line string) bool) error {
	// The engine ends with the context that it was started with.
	if err := e.client.Command(context.Background(), commands, limit, take); err != nil {
		return fmt.Errorf("engine %s: %w", e.Command, err)
	}
	return nil
}

// divideLine is one move of a perft: "e2e4: 20".
var divideLine = regexp.MustCompile(`^([a-h][1-8][a-h][1-8][nbrq]?): ([0-9]+)$`)

// Divide returns the engine's perft of p by root move, as text.
func (e *Engine) Divide(p *chess.Position, depth int) (map[string]uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := map[string]uint64{}
	style := chess.FENStyle{Castling: chess.CastlingXFEN}
	if e.Chess960 {
		style.Castling = chess.CastlingShredder
	}
	var bad error
	command := fmt.Sprintf("position fen %s\ngo perft %d", p.FormatFEN(style), depth)
	err := e.ask(command, engineTimeout, func(line string) bool {
		if parts := divideLine.FindStringSubmatch(line); parts != nil {
			n, err := strconv.ParseUint(parts[2], 10, 64)
			if err != nil {
				bad = fmt.Errorf("engine %s: %q: %w", e.Command, line, err)
			}
			counts[parts[1]] = n
		}
		return strings.HasPrefix(line, "Nodes searched")
	})
	if err == nil {
		err = bad
	}
	return counts, err
}

// Text returns a move as the engine writes it.
func (e *Engine) Text(p *chess.Position, m chess.Move) string {
	if e.Chess960 {
		return m.String()
	}
	return p.UCI(m)
}
