package oracle

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
)

// perftTimeout bounds one perft of an engine; a deep one takes its time.
const perftTimeout = 10 * time.Minute

// Find returns the program of an engine's command: looked for in PATH,
// then where Debian puts games, which PATH of root leaves out.
func Find(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil || strings.ContainsRune(program, filepath.Separator) {
		return path, err
	}
	if games, err := exec.LookPath(filepath.Join("/usr/games", program)); err == nil {
		return games, nil
	}
	return "", command.WrongUsef("%s is neither in PATH nor in /usr/games (on Debian: apt-get install %s)", program, program)
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
