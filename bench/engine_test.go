package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/uci/client"
)

// engineVariable makes the test binary a UCI engine with the named fault.
const engineVariable = "TABULA_TEST_ENGINE"

func TestMain(m *testing.M) {
	if fault := os.Getenv(engineVariable); fault != "" {
		serveEngine(fault)
		return
	}
	os.Exit(m.Run())
}

// selfAsEngine returns the command by which the test binary is that engine.
func selfAsEngine(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil || strings.ContainsRune(self, ' ') {
		t.Skip("the test binary's path cannot be an engine command: ", self, err)
	}
	return self
}

// serveEngine answers what package generator asks, as Stockfish does.
func serveEngine(fault string) {
	p, mode := chess.NewPosition(), false
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
		words := strings.Fields(scanner.Text())
		switch {
		case words[0] == "quit", words[0] == "uci" && fault == "silent":
			return
		case words[0] == "uci" && fault == "standard":
			fmt.Println("uciok")
		case words[0] == "uci":
			fmt.Println("id name test\noption name UCI_Chess960 type check default false\nuciok")
		case words[0] == "isready":
			fmt.Println("readyok")
		case words[0] == "position":
			if err := p.SetFEN(strings.Join(words[2:], " ")); err != nil {
				fmt.Println("info string", err)
			}
			if mode != p.Chess960() { // an answer would be in another form
				fmt.Println("info string UCI_Chess960 is", mode)
				return
			}
		case words[0] == "setoption":
			mode = words[4] == "true"
		case words[0] == "go" && fault == "ends" && p.FullmoveNumber() > 3:
			return
		case words[0] == "go":
			depth, err := strconv.Atoi(words[2])
			if err != nil {
				fmt.Println("info string", err)
			}
			printDivide(p, depth, fault)
		}
	}
}

func printDivide(p *chess.Position, depth int, fault string) {
	total := perft.Walk(p, depth)
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		n := perft.Walk(p, depth-1)
		if fault == "never castles" {
			n = walkWithoutCastling(p, depth-1)
		}
		p.Unmake()
		switch {
		case (fault == "no castling" || fault == "never castles") && m.Kind() == chess.Castling:
			continue
		case fault == "miscounts" && depth == 2 && m.Kind() == chess.EnPassant:
			n++
		case fault == "forgets replies" && m.String() == "a2a4":
			n--
		case fault == "king takes rook":
			fmt.Printf("%s: %d\n", m, n)
			continue
		}
		fmt.Printf("%s: %d\n", p.UCI(m), n)
	}
	if fault == "invents" && p.FullmoveNumber() > 5 {
		fmt.Println("a1a1: 1")
	}
	if fault == "castles out of check" {
		fmt.Println("e1g1: 1")
	}
	switch fault {
	case "wrong total":
		total++
	case "garbled total":
		fmt.Println("Nodes searched: many")
		return
	}
	fmt.Printf("\nNodes searched: %d\n\n", total)
}

func TestFuzzEngine(t *testing.T) {
	self := selfAsEngine(t)
	for _, c := range []struct {
		fault string
		args  []string
		code  int
		want  string
	}{
		{"none", []string{"--positions", "320"}, 0, " positions, perft 1 and 2"},
		{"none", []string{"--positions", "320", "--chess960"}, 0, " positions, perft 1 and 2"},
		{"standard", []string{"--positions", "320"}, 0, " positions, perft 1 and 2"},
		{"standard", []string{"--chess960"}, 1, "no option UCI_Chess960"},
		{"no castling", nil, 1, "difference in engine after 0 moves"},
		{"king takes rook", nil, 1, "difference in engine after 0 moves"},
		{"miscounts", nil, 1, "difference in engine after 0 moves"},
		{"invents", nil, 1, "a1a1"},
		{"ends", nil, 1, "ended without an answer"},
		{"silent", nil, 1, "ended without an answer"},
	} {
		t.Run(strings.Join(append([]string{c.fault}, c.args...), " "), func(t *testing.T) {
			t.Setenv(engineVariable, c.fault)
			out, errOut, code := call(t, append([]string{"fuzz", "--games", "200", "--positions", "4000", "--engine", self}, c.args...)...)
			if code != c.code || !strings.Contains(out+errOut, c.want) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, c.code, c.want, out, errOut)
			}
			if strings.Contains(out, "in 0 positions") {
				t.Errorf("the engine was not asked\n%s", out)
			}
			if c.fault != "no castling" {
				return
			}
			var with, without int
			for _, line := range strings.Split(out, "\n") {
				_, text, _ := strings.Cut(line, ": ")
				if n := 0; strings.HasSuffix(text, " moves, without") {
					fmt.Sscanf(text, "%d", &without)
				} else if _, err := fmt.Sscanf(text, "%d moves, with", &n); err == nil {
					with = n
				}
			}
			if with == 0 || without >= with || without < with-2 {
				t.Errorf("%d moves listed where %d are right\n%s", without, with, out)
			}
		})
	}
}

func TestCourseEngine(t *testing.T) {
	self := selfAsEngine(t)
	for _, c := range []struct {
		fault string
		code  int
		want  string
	}{
		{"none", 0, "All is right"},
		{"no castling", 1, "e1g1: missing. The right to castle is there"},
		{"king takes rook", 1, "is written"},
		{"castles out of check", 1, "e1g1: not legal"},
		{"never castles", 1, "missing. The right to castle is there"},
		{"forgets replies", 1, "After a2a4 it counts"},
		{"silent", 1, "ended without an answer"},
	} {
		t.Setenv(engineVariable, c.fault)
		out, errOut, code := call(t, "course", "9", "--engine", self)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.fault, code, c.code, c.want, out, errOut)
		}
	}
}

// TestFuzzStockfish compares with Stockfish where it is installed.
func TestFuzzStockfish(t *testing.T) {
	path, err := client.Find("stockfish")
	if err != nil {
		t.Skip("needs Stockfish: ", err)
	}
	for _, args := range [][]string{nil, {"--chess960"}} {
		out, errOut, code := call(t, slices.Concat([]string{"fuzz", "--positions", "800", "--engine", path}, args)...)
		if code != 0 {
			t.Errorf("%v: exit code %d\n%s%s", args, code, out, errOut)
		}
	}
}
