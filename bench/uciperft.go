package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// uciEngine is a chess engine in a process of its own, spoken to in UCI. It is
// not safe for concurrent use.
type uciEngine struct {
	name  string // what the engine calls itself
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// uciStart bounds the time until an engine answers "uci".
const uciStart = 10 * time.Second

// findEngine returns the program of an engine's command: looked for in PATH,
// then where Debian puts games, which PATH of root leaves out.
func findEngine(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil || strings.ContainsRune(program, filepath.Separator) {
		return path, err
	}
	if games, err := exec.LookPath(filepath.Join("/usr/games", program)); err == nil {
		return games, nil
	}
	return "", fmt.Errorf("%s is neither in PATH nor in /usr/games; on Debian: apt-get install %s", program, program)
}

// startUCI starts a command, a program with its arguments, and waits until
// it is ready. The process ends with ctx or with Close.
func startUCI(ctx context.Context, command string) (*uciEngine, error) {
	args := strings.Fields(command)
	if len(args) == 0 {
		return nil, errors.New("engine: the command is empty")
	}
	program, err := findEngine(args[0])
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	e := &uciEngine{name: filepath.Base(program), cmd: exec.CommandContext(ctx, program, args[1:]...), lines: make(chan string, 16)}
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	go func() {
		defer close(e.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			e.lines <- strings.TrimSpace(scanner.Text())
		}
	}()
	ready, cancel := context.WithTimeout(ctx, uciStart)
	defer cancel()
	if err := e.handshake(ready); err != nil {
		e.Close()
		return nil, fmt.Errorf("engine %s: %w", program, err)
	}
	return e, nil
}

// handshake exchanges the first words of UCI.
func (e *uciEngine) handshake(ctx context.Context) error {
	_, err := e.ask(ctx, "uci", func(line string) bool {
		if name, ok := strings.CutPrefix(line, "id name "); ok {
			e.name = name
			// Stockfish 15.1 says "Stockfish 15.1", later ones add their authors.
			if name, _, ok := strings.Cut(e.name, " by "); ok {
				e.name = name
			}
		}
		return line == "uciok"
	})
	if err != nil {
		return err
	}
	_, err = e.ask(ctx, "isready", func(line string) bool { return line == "readyok" })
	return err
}

// ask sends a line and reads until the answer that last accepts.
func (e *uciEngine) ask(ctx context.Context, question string, last func(string) bool) (string, error) {
	if _, err := fmt.Fprintln(e.in, question); err != nil {
		return "", err
	}
	for {
		select {
		case line, ok := <-e.lines:
			if !ok {
				return "", fmt.Errorf("it ended without an answer to %q", question)
			}
			if last(line) {
				return line, nil
			}
		case <-ctx.Done():
			return "", fmt.Errorf("no answer to %q: %w", question, context.Cause(ctx))
		}
	}
}

// perft has the engine count a position. The time runs from sending "go perft"
// to the line with the total; starting the process and setting up the position
// are not in it.
func (e *uciEngine) perft(ctx context.Context, fen string, depth int) (uint64, time.Duration, error) {
	if _, err := fmt.Fprintln(e.in, "position fen "+fen); err != nil {
		return 0, 0, err
	}
	if _, err := e.ask(ctx, "isready", func(line string) bool { return line == "readyok" }); err != nil {
		return 0, 0, err
	}
	const total = "Nodes searched:"
	start := time.Now()
	line, err := e.ask(ctx, "go perft "+strconv.Itoa(depth), func(line string) bool { return strings.HasPrefix(line, total) })
	elapsed := time.Since(start)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", e.name, err)
	}
	nodes, err := strconv.ParseUint(strings.TrimSpace(strings.TrimPrefix(line, total)), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %q holds no number of nodes", e.name, line)
	}
	return nodes, elapsed, nil
}

// Close ends the engine's process.
func (e *uciEngine) Close() error {
	fmt.Fprintln(e.in, "quit")
	e.in.Close()
	done := make(chan error, 1)
	go func() {
		for range e.lines {
		}
		done <- e.cmd.Wait()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Second):
		e.cmd.Process.Kill()
		return <-done
	}
}
