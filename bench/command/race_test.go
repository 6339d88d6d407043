package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/race"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// perftEngineVariable makes TestPerftEngineProcess an engine with the named
// fault.
const perftEngineVariable = "TABULA_TEST_PERFT_ENGINE"

// perftEngine returns the command of an engine that only knows perft: this
// test binary.
func perftEngine(t *testing.T, fault string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil || strings.ContainsRune(self, ' ') {
		t.Skip("the test binary's path cannot be an engine command: ", self, err)
	}
	t.Setenv(perftEngineVariable, fault)
	return self + " -test.run=^TestPerftEngineProcess$"
}

// TestPerftEngineProcess is no test of its own: perftEngine runs it.
func TestPerftEngineProcess(t *testing.T) {
	fault := os.Getenv(perftEngineVariable)
	if fault == "" {
		t.Skip("run by other tests")
	}
	p := chess.NewPosition()
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
		words := strings.Fields(scanner.Text())
		switch words[0] {
		case "uci":
			fmt.Println("id name Perft 1.0 by nobody\nuciok")
		case "isready":
			fmt.Println("readyok")
		case "position":
			if err := p.SetFEN(strings.Join(words[2:], " ")); err != nil {
				fmt.Println("info string", err)
			}
		case "go":
			depth, _ := strconv.Atoi(words[2])
			nodes := perft.Walk(p, depth)
			switch fault {
			case "ends":
				return
			case "wrong":
				nodes++
			case "garbled":
				fmt.Println("Nodes searched: many")
				continue
			}
			fmt.Printf("a2a3: 1\n\nNodes searched: %d\n\n", nodes)
		case "quit":
			return
		}
	}
}

func TestRace(t *testing.T) {
	args := []string{"race", "--engine", perftEngine(t, "none"), "--rounds", "1", "--shallower", "3", "--time", "1us", "--hash", "1"}
	out, errOut, code := call(t, append(args, "--json")...)
	var got race.Report
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errOut)
	}
	if got.Engine != "Perft 1.0" || len(got.Columns) != 2 {
		t.Errorf("engine %q, columns %q", got.Engine, got.Columns)
	}
	measuredRows := 0
	for _, row := range got.Rows {
		if row.Missing != "" {
			continue
		}
		measuredRows++
		want := []uint64{8902, 2039}
		if strings.Contains(row.Name, "one ply deeper") {
			want = []uint64{197281, 97862}
		}
		for i, nodes := range want {
			c := row.Cells[i]
			if c.Nodes != nodes || c.NPS <= 0 || c.Ratio <= 0 || c.Held != (c.Target > 0 && c.Ratio >= c.Target) {
				t.Errorf("%s, %s: %+v, want %d nodes", row.Name, got.Columns[i], c, nodes)
			}
		}
	}
	if measuredRows < 3 || got.Rows[0].Cells[0].Ratio != 1 {
		t.Errorf("%d rows measured, the engine's ratio to itself %v", measuredRows, got.Rows[0].Cells[0].Ratio)
	}
	out, errOut, code = call(t, args...)
	for _, want := range []string{"| Perft 1.0 ", "| magic, pure Go ", " 1.20× |", "| hash of 1 MiB, ", "start position, depth 3", "Kiwipete, depth 2"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, out, errOut)
		}
	}
}

func TestRaceRefused(t *testing.T) {
	for _, c := range []struct {
		fault string
		args  []string
		code  int
		want  string
	}{
		{"ends", nil, command.Failed, "ended without an answer"},
		{"wrong", nil, command.Failed, "Perft 1.0 counts 8903 nodes, the published count is 8902"},
		{"garbled", nil, command.Failed, `"many" is no number of nodes`},
		{"none", []string{"--shallower", "5"}, command.Usage, "shallower: 5"},
		{"none", []string{"--rounds", "0"}, command.Usage, "rounds: 0"},
		{"none", []string{"--hash", "-1"}, command.Usage, "hash: -1"},
		{"none", []string{"extra"}, command.Usage, "unexpected argument"},
		{"none", []string{"--engine", "no-such-engine"}, command.Usage, "neither in PATH nor in /usr/games"},
	} {
		args := append([]string{"race", "--engine", perftEngine(t, c.fault), "--rounds", "1", "--shallower", "3", "--time", "1us"}, c.args...)
		_, errOut, code := call(t, args...)
		if code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("%s %v: exit code %d, %q, want %d and %q", c.fault, c.args, code, errOut, c.code, c.want)
		}
	}
}
