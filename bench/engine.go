package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// engineTimeout bounds the wait for one answer of an engine.
const engineTimeout = 30 * time.Second

// engine is a UCI engine that knows "go perft", as Stockfish does. It may be
// asked from several goroutines, one at a time.
type engine struct {
	command  string
	name     string // what it calls itself, without its authors
	chess960 bool   // it has the option UCI_Chess960, which is then on

	mu     sync.Mutex
	in     io.WriteCloser
	lines  chan string // its output; closed when it ends
	cancel context.CancelFunc
	cmd    *exec.Cmd
}

// startEngine runs a command, words separated by spaces, and waits until the
// engine is ready. Close ends it.
func startEngine(ctx context.Context, command string) (*engine, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, fmt.Errorf("engine: empty command")
	}
	program, err := findEngine(words[0])
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, words[1:]...)
	e := &engine{command: command, name: command, cancel: cancel, cmd: cmd, lines: make(chan string, 256)}
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
func (e *engine) handshake() error {
	err := e.ask("uci", func(line string) bool {
		if name, ok := strings.CutPrefix(line, "id name "); ok {
			e.name, _, _ = strings.Cut(name, " by ")
		}
		e.chess960 = e.chess960 || strings.HasPrefix(line, "option name UCI_Chess960 ")
		return line == "uciok"
	})
	if err != nil {
		return err
	}
	if e.chess960 {
		err = e.ask("setoption name UCI_Chess960 value true\nisready", func(line string) bool { return line == "readyok" })
	}
	return err
}

// Close ends the engine.
func (e *engine) Close() {
	e.in.Close()
	e.cancel()
	for range e.lines {
	}
	_ = e.cmd.Wait() // it was killed, or said goodbye as it liked
}

// ask sends commands and hands the answer to take, line by line, until that
// returns true.
func (e *engine) ask(commands string, take func(line string) bool) error {
	return e.askWithin(engineTimeout, commands, take)
}

// askWithin is ask with another bound on the wait.
func (e *engine) askWithin(limit time.Duration, commands string, take func(line string) bool) error {
	if _, err := io.WriteString(e.in, commands+"\n"); err != nil {
		return fmt.Errorf("engine %s: %w", e.command, err)
	}
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		select {
		case line, ok := <-e.lines:
			if !ok {
				return fmt.Errorf("engine %s: ended without an answer to %q", e.command, commands)
			}
			if take(line) {
				return nil
			}
		case <-timeout.C:
			return fmt.Errorf("engine %s: no answer to %q within %v", e.command, commands, limit)
		}
	}
}

// divideLine is one move of a perft: "e2e4: 20".
var divideLine = regexp.MustCompile(`^([a-h][1-8][a-h][1-8][nbrq]?): ([0-9]+)$`)

// divide returns the engine's perft of p by root move, as text.
func (e *engine) divide(p *chess.Position, depth int) (map[string]uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := map[string]uint64{}
	style := chess.FENStyle{Castling: chess.CastlingXFEN}
	if e.chess960 {
		style.Castling = chess.CastlingShredder
	}
	var bad error
	err := e.ask(fmt.Sprintf("position fen %s\ngo perft %d", p.FormatFEN(style), depth), func(line string) bool {
		if parts := divideLine.FindStringSubmatch(line); parts != nil {
			n, err := strconv.ParseUint(parts[2], 10, 64)
			if err != nil {
				bad = fmt.Errorf("engine %s: %q: %w", e.command, line, err)
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

// text returns a move as the engine writes it.
func (e *engine) text(p *chess.Position, m chess.Move) string {
	if e.chess960 {
		return m.String()
	}
	return p.UCI(m)
}

// checkEngine compares the legal moves with an engine's perft 1 and their
// replies with its perft 2. That the engine fails to answer is no difference;
// the error is kept in the rig.
func (r *rig) checkEngine() *difference {
	e := r.engine
	if e == nil || !e.chess960 && r.p.Chess960() {
		return nil
	}
	for depth := 1; depth <= 2; depth++ {
		counts, err := e.divide(r.p, depth)
		if err != nil {
			r.err = err
			return nil
		}
		for i, m := range r.legal {
			want, text := uint64(1), e.text(r.p, m)
			if depth == 2 {
				want = uint64(r.outcomes[i].replies)
			}
			got, ok := counts[text]
			if !ok {
				return r.differ("engine", text, "movegen.Legal", fmt.Sprintf("%d moves, with %s", len(r.legal), text),
					e.command, fmt.Sprintf("%d moves, without", len(counts)))
			}
			if got != want {
				return r.differ("engine", text, "movegen.Legal", fmt.Sprintf("%d replies", want), e.command, fmt.Sprintf("%d replies", got))
			}
			delete(counts, text)
		}
		if len(counts) > 0 {
			var extra []string
			for text := range counts {
				extra = append(extra, text)
			}
			slices.Sort(extra)
			return r.differ("engine", extra[0], "movegen.Legal", fmt.Sprintf("%d moves, without %s", len(r.legal), strings.Join(extra, " ")),
				e.command, "these are legal")
		}
	}
	return nil
}
