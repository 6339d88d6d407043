package generator

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/uci/client"
)

// engineTimeout bounds the wait for one answer of an engine.
const engineTimeout = 30 * time.Second

// Engine is a UCI engine that knows "go perft", as Stockfish does. It may be
// asked from several goroutines, one at a time.
type Engine struct {
	Command  string // that started it
	Name     string // what it calls itself, without its authors
	Chess960 bool   // it has the option UCI_Chess960

	mu     sync.Mutex
	client *client.Engine
	on     bool // the option is set
}

// StartEngine runs a command, words separated by spaces, and waits until the
// engine is ready. Close ends it, and so does the end of ctx.
func StartEngine(ctx context.Context, line string) (*Engine, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, exit.WrongUsef("engine: empty command")
	}
	program, err := FindEngine(words[0])
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
	_, e.Chess960 = client.Option("UCI_Chess960")
	return e, nil
}

// setUp returns the commands that set up p, in the mode that p is of. The caller holds mu.
func (e *Engine) setUp(p *chess.Position) (string, error) {
	style, mode := chess.FENStyle{Castling: chess.CastlingXFEN}, ""
	if wanted := p.Chess960(); wanted != e.on {
		if !e.Chess960 {
			return "", fmt.Errorf("engine %s: it has no option UCI_Chess960, which %s needs", e.Command, p)
		}
		e.on, mode = wanted, fmt.Sprintf("setoption name UCI_Chess960 value %t\n", wanted)
	}
	if e.on {
		style.Castling = chess.CastlingShredder
	}
	return mode + "position fen " + p.FormatFEN(style) + "\n", nil
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

// Divide returns the engine's perft of p by root move, as text: castling is the king's step
// (e1g1), and king takes rook where p is one of Chess960.
func (e *Engine) Divide(p *chess.Position, depth int) (map[string]uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := map[string]uint64{}
	setUp, err := e.setUp(p)
	if err != nil {
		return nil, err
	}
	var bad error
	err = e.ask(fmt.Sprintf("%sgo perft %d", setUp, depth), engineTimeout, func(line string) bool {
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

// perftTimeout bounds one perft of an engine; a deep one takes its time.
const perftTimeout = 10 * time.Minute

// FindEngine returns the program of an engine's command: looked for in PATH,
// then where Debian puts games, which PATH of root leaves out.
func FindEngine(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil || strings.ContainsRune(program, filepath.Separator) {
		return path, err
	}
	if games, err := exec.LookPath(filepath.Join("/usr/games", program)); err == nil {
		return games, nil
	}
	return "", exit.WrongUsef("%s is neither in PATH nor in /usr/games (on Debian: apt-get install %s)", program, program)
}

// Perft has the engine count a position. The time runs from sending "go perft"
// to the line with the total; starting the process and setting up the position
// are not in it.
func (e *Engine) Perft(fen string, depth int) (uint64, time.Duration, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return 0, 0, err
	}
	setUp, err := e.setUp(p)
	if err != nil {
		return 0, 0, err
	}
	if err := e.ask(setUp+"isready", engineTimeout, func(line string) bool { return line == "readyok" }); err != nil {
		return 0, 0, err
	}
	const prefix = "Nodes searched:"
	var total string
	start := time.Now()
	err = e.ask("go perft "+strconv.Itoa(depth), perftTimeout, func(line string) bool {
		var ok bool
		total, ok = strings.CutPrefix(line, prefix)
		return ok
	})
	elapsed := time.Since(start)
	if err != nil {
		return 0, 0, err
	}
	nodes, err := strconv.ParseUint(strings.TrimSpace(total), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("engine %s: %q is no number of nodes", e.Command, strings.TrimSpace(total))
	}
	return nodes, elapsed, nil
}
