// Package oracle drives a UCI engine that knows "go perft", as Stockfish does, to
// be held against Tabula's generators.
package oracle

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
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
	in     io.WriteCloser
	lines  chan string // its output; closed when it ends
	cancel context.CancelFunc
	cmd    *exec.Cmd
}

// Start runs a command, words separated by spaces, and waits until the
// engine is ready. Close ends it.
func Start(ctx context.Context, command string) (*Engine, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, exit.WrongUsef("engine: empty command")
	}
	program, err := Find(words[0])
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, words[1:]...)
	e := &Engine{Command: command, Name: command, cancel: cancel, cmd: cmd, lines: make(chan string, 256)}
	if e.in, err = cmd.StdinPipe(); err != nil {
		cancel()
		return nil, fmt.Errorf("engine: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("engine: %w", err)
	}
	go func() {
		defer close(e.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			select {
			case e.lines <- strings.TrimSpace(scanner.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	if err := e.handshake(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// handshake introduces itself and turns Chess960 on where there is such an
// option: castling is then written as king takes rook.
func (e *Engine) handshake() error {
	err := e.ask("uci", func(line string) bool {
		if name, ok := strings.CutPrefix(line, "id name "); ok {
			e.Name, _, _ = strings.Cut(name, " by ")
		}
		e.Chess960 = e.Chess960 || strings.HasPrefix(line, "option name UCI_Chess960 ")
		return line == "uciok"
	})
	if err != nil {
		return err
	}
	if e.Chess960 {
		err = e.ask("setoption name UCI_Chess960 value true\nisready", func(line string) bool { return line == "readyok" })
	}
	return err
}

// Close ends the engine.
func (e *Engine) Close() {
	e.in.Close()
	e.cancel()
	for range e.lines {
	}
	_ = e.cmd.Wait() // it was killed, or said goodbye as it liked
}

// ask sends commands and hands the answer to take, line by line, until that
// returns true.
func (e *Engine) ask(commands string, take func(line string) bool) error {
	return e.askWithin(engineTimeout, commands, take)
}

// askWithin is ask with another bound on the wait.
func (e *Engine) askWithin(limit time.Duration, commands string, take func(line string) bool) error {
	if _, err := io.WriteString(e.in, commands+"\n"); err != nil {
		return fmt.Errorf("engine %s: %w", e.Command, err)
	}
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		select {
		case line, ok := <-e.lines:
			if !ok {
				return fmt.Errorf("engine %s: ended without an answer to %q", e.Command, commands)
			}
			if take(line) {
				return nil
			}
		case <-timeout.C:
			return fmt.Errorf("engine %s: no answer to %q within %v", e.Command, commands, limit)
		}
	}
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
	err := e.ask(fmt.Sprintf("position fen %s\ngo perft %d", p.FormatFEN(style), depth), func(line string) bool {
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
