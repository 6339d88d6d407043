package client

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// fakeVariable makes the test binary a UCI engine of the named manner.
const fakeVariable = "TABULA_TEST_UCICLIENT"

// patience bounds every wait for what should come at once; a busy machine may
// take its time. Engines that answer late, or never, get no more than hasty.
const (
	patience = time.Minute
	hasty    = time.Second
)

func TestMain(m *testing.M) {
	if manner := os.Getenv(fakeVariable); manner != "" {
		if manner == "sleeper" {
			time.Sleep(time.Hour)
		}
		serve(manner)
		return
	}
	drain = patience
	os.Exit(m.Run())
}

// introduction is what a fake engine says to uci.
const introduction = `id name Fake 1.0
id author nobody much
option name Hash type spin default 16 min 1 max 1024
option name UCI_Chess960 type check default false
option name Style default of play type combo default Solid var Solid var Wild and woolly
option name Clear Hash type button
option name Book File type string default <empty>
option garbage
uciok`

func serve(manner string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "uci":
			greet(manner)
		case "isready":
			if manner == "never ready" {
				continue
			}
			if manner == "slow" {
				time.Sleep(100 * time.Millisecond)
			}
			if manner == "chatters" {
				fmt.Println("bestmove a2a3")
			}
			fmt.Println("readyok")
		case "go":
			think(manner, in)
		case "quit":
			if manner == "never quits" {
				time.Sleep(time.Hour)
			}
			return
		}
	}
}

func greet(manner string) {
	switch manner {
	case "mute":
		time.Sleep(time.Hour)
	case "ends at once":
		fmt.Fprintln(os.Stderr, "warming up\nno network file")
		os.Exit(3)
	case "endless line":
		for chunk := strings.Repeat("x", 1<<16); ; {
			if _, err := io.WriteString(os.Stdout, chunk); err != nil {
				return
			}
		}
	case "garbage":
		fmt.Println("\x00\xff\nFake engine\ninfo string \x01\noption name type\n\n   \nreadyok")
	case "child": // which would keep the output open for an hour
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), fakeVariable+"=sleeper")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if manner == "windows" {
		fmt.Print(strings.ReplaceAll(introduction, "\n", "\r\n"), "\r\n")
		return
	}
	fmt.Println(introduction)
}

func think(manner string, in *bufio.Scanner) {
	fmt.Println("info depth 1 score cp 13 nodes 20 pv e2e4 e7e5")
	switch manner {
	case "hangs":
		time.Sleep(time.Hour)
	case "crashes":
		fmt.Fprintln(os.Stderr, "assertion failed")
		os.Exit(134)
	case "illegal":
		fmt.Println("bestmove e2e5")
	case "none":
		fmt.Println("bestmove (none)")
	case "waits":
		for in.Scan() {
			fmt.Println("info string heard", in.Text())
			if in.Text() == "stop" || in.Text() == "ponderhit" {
				break
			}
		}
		fmt.Println("bestmove e2e4 ponder e7e5")
	case "floods":
		for i := range 200_000 {
			fmt.Println("info depth", i, "currmove e2e4 currmovenumber 1 string", strings.Repeat("y", 100))
		}
		fmt.Println("bestmove e2e4")
	case "half a line":
		fmt.Print("bestmove e2e4") // and no line end
		os.Exit(0)
	default:
		fmt.Println("info depth 2 score mate 3 pv d2d4 x\nnonsense\nbestmove d2d4 ponder e7e4")
	}
}

// fake starts a fake engine; the test ends it.
func fake(t *testing.T, manner string, change ...func(*Launch)) *Engine {
	t.Helper()
	e, err := startFake(t, manner, change...)
	if err != nil {
		t.Fatalf("%s: %v", manner, err)
	}
	return e
}

func startFake(t *testing.T, manner string, change ...func(*Launch)) (*Engine, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip("no path of the test binary: ", err)
	}
	c := Launch{Path: self, Env: append(os.Environ(), fakeVariable+"="+manner), Timeout: patience}
	for _, f := range change {
		f(&c)
	}
	e, err := Start(t.Context(), c)
	if err == nil {
		t.Cleanup(func() { e.Close() })
	}
	return e, err
}

// hastyFake starts a fake engine with which the client loses patience soon once it is told to go.
func hastyFake(t *testing.T, manner string) (e *Engine) {
	t.Helper()
	e = fake(t, manner, func(c *Launch) {
		c.Log = func(sent bool, line string) {
			if sent && strings.HasPrefix(line, "go ") {
				e.timeout = hasty
			}
		}
	})
	return e
}

func start() *chess.Position { return chess.NewPosition() }
