package client

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// goroutines fails the test where more goroutines run at its end than now.
func goroutines(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for began := time.Now(); time.Since(began) < patience; time.Sleep(10 * time.Millisecond) {
			if runtime.NumGoroutine() <= before {
				return
			}
		}
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	})
}

// reaped fails the test where the process of a closed engine is still there.
func reaped(t *testing.T, e *Engine) {
	t.Helper()
	if e.process.cmd.ProcessState == nil {
		t.Errorf("process %d was not waited for", e.process.cmd.Process.Pid)
	}
}

// as reports whether err is of type T, and gives it back.
func as[T error](err error) (T, bool) {
	var e T
	ok := errors.As(err, &e)
	return e, ok
}

func isExit(err error) bool     { _, ok := as[*ExitError](err); return ok }
func isTimeout(err error) bool  { _, ok := as[*TimeoutError](err); return ok }
func isProtocol(err error) bool { _, ok := as[*ProtocolError](err); return ok }
func isNil(err error) bool      { return err == nil }

func TestStart(t *testing.T) {
	for _, tt := range []struct {
		manner string
		kind   func(error) bool
		text   string
	}{
		{"good", isNil, ""},
		{"windows", isNil, ""},
		{"garbage", isNil, ""},
		{"child", isNil, ""},
		{"never quits", isNil, ""},
		{"mute", isTimeout, `no answer to "uci" within 1s`},
		{"ends at once", isExit, `the engine ended without an answer to "uci" (exit status 3): no network file`},
		{"endless line", isProtocol, "a line of more than 1048576 bytes"},
	} {
		t.Run(tt.manner, func(t *testing.T) {
			goroutines(t)
			if tt.manner == "child" {
				drain = hasty
				defer func() { drain = patience }()
			}
			e, err := startFake(t, tt.manner, func(c *Launch) {
				if tt.manner == "mute" {
					c.Timeout = hasty
				}
			})
			if !tt.kind(err) || err != nil && !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("error %v (%T), want one with %q", err, err, tt.text)
			}
			if err != nil {
				return
			}
			if e.Name() != "Fake 1.0" || e.Author() != "nobody much" {
				t.Errorf("name %q, author %q", e.Name(), e.Author())
			}
			if tt.manner == "never quits" {
				e.timeout = hasty
			}
			e.Close()
			e.Close()
			reaped(t, e)
			if err := e.Ready(t.Context()); !errors.Is(err, ErrClosed) {
				t.Errorf("Ready of a closed engine: %v, want %v", err, ErrClosed)
			}
		})
	}
}

func TestStartWithoutProgram(t *testing.T) {
	goroutines(t)
	for _, path := range []string{"", "no such program anywhere", t.TempDir()} {
		if e, err := Start(t.Context(), Launch{Path: path}); err == nil {
			e.Close()
			t.Errorf("%q: no error", path)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Launch{Path: os.Args[0]}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

func TestOptions(t *testing.T) {
	goroutines(t)
	e := fake(t, "good")
	want := []Option{
		{Name: "Hash", Type: Spin, Default: "16", Min: 1, Max: 1024},
		{Name: "UCI_Chess960", Type: Check, Default: "false"},
		{Name: "Style default of play", Type: Combo, Default: "Solid", Choices: []string{"Solid", "Wild and woolly"}},
		{Name: "Clear Hash", Type: Button},
		{Name: "Book File", Type: String},
	}
	if d := cmp.Diff(want, e.Options()); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	for _, tt := range []struct{ name, value, reason string }{
		{"hash", "64", ""},
		{"Hash", "0", "0 is not from 1 to 1024"},
		{"Hash", "much", "no whole number"},
		{"UCI_Chess960", "yes", "neither true nor false"},
		{"Style default of play", "wild and woolly", ""},
		{"Style default of play", "meek", "none of"},
		{"Clear Hash", "", ""},
		{"Book File", "", ""},
		{"Book File", "a\nquit", "line end"},
		{"Contempt", "1", "none of that name"},
	} {
		err := e.SetOption(t.Context(), tt.name, tt.value)
		if bad, ok := as[*OptionError](err); ok != (tt.reason != "") || ok && !strings.Contains(bad.Reason, tt.reason) {
			t.Errorf("%s = %q: %v, want %q", tt.name, tt.value, err, tt.reason)
		}
	}
	if got := e.Value("HASH"); got != "64" {
		t.Errorf("Hash is %q, want what was set, 64", got)
	}
	if got := e.Value("UCI_Chess960"); got != "false" {
		t.Errorf("UCI_Chess960 is %q, want its default", got)
	}
}

func TestSent(t *testing.T) {
	var sent []string
	e := fake(t, "good", func(c *Launch) {
		c.Log = func(out bool, line string) {
			if out && line != "quit" {
				sent = append(sent, line)
			}
		}
	})
	p := chess.NewPosition()
	for _, m := range []string{"e2e4", "e7e5"} {
		if m, err := p.ParseUCI(m); err != nil || p.Play(m) != nil {
			t.Fatal(m, err)
		}
	}
	search := func(p *chess.Position, l GoLimits) {
		t.Helper()
		if _, err := e.Search(t.Context(), p, l, nil); err != nil && !isProtocol(err) { // its only answer is d2d4
			t.Fatal(err)
		}
	}
	search(p, GoLimits{Depth: 3})
	p.MakeNull()
	search(p, GoLimits{Time: [2]time.Duration{time.Minute, 1500 * time.Microsecond}, Inc: [2]time.Duration{0, 2}, MovesToGo: 4})
	frc := kit.Position(t, "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1")
	castle := kit.Move(t, frc, "e1g1")
	search(frc, GoLimits{MoveTime: 1, SearchMoves: []chess.Move{castle}})
	kit.Succeed(t, frc.Play(castle))
	search(frc, GoLimits{MoveTime: 1, SearchMoves: []chess.Move{kit.Move(t, frc, "O-O-O")}})
	for _, m := range []string{"O-O-O", "h3", "Kb8"} { // then no right is left that shows that this is Chess960
		kit.Succeed(t, frc.Play(kit.Move(t, frc, m)))
	}
	search(frc, GoLimits{MoveTime: 1})
	search(start(), GoLimits{})
	want := []string{
		"uci",
		"position startpos moves e2e4 e7e5", "isready", "go depth 3",
		"position fen rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2", "isready",
		"go wtime 60000 btime 1 binc 1 movestogo 4",
		"setoption name UCI_Chess960 value true", "isready",
		"position fen 1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", "isready", "go movetime 1 searchmoves e1g1",
		"position fen 1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1 moves e1g1", "isready", "go movetime 1 searchmoves e8b8",
		"position fen 1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1 moves e1g1 e8b8 h2h3 c8b8", "isready", "go movetime 1",
		"setoption name UCI_Chess960 value false", "isready",
		"position startpos", "isready", "go infinite",
	}
	if d := cmp.Diff(want, sent); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
}

func TestContextOfEngine(t *testing.T) {
	goroutines(t)
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e, err := Start(ctx, Launch{Path: self, Env: append(os.Environ(), fakeVariable+"=hangs"), Timeout: patience})
	kit.Succeed(t, err)
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := e.Search(context.Background(), start(), GoLimits{Depth: 1}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v, want %v", err, context.Canceled)
	}
	e.Close()
	reaped(t, e)
}

// TestCommandContext: an exchange that is given up ends the engine.
func TestCommandContext(t *testing.T) {
	goroutines(t)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	e := fake(t, "never ready", func(c *Launch) {
		c.Log = func(sent bool, line string) {
			if sent && line == "isready" {
				cancel(enough)
			}
		}
	})
	for range 2 {
		if err := e.Command(ctx, "isready", 0, isReadyOK); !errors.Is(err, enough) {
			t.Errorf("%v, want %v", err, enough)
		}
	}
	if err := e.Ready(t.Context()); !errors.Is(err, enough) {
		t.Errorf("afterwards %v, want the reason of its end", err)
	}
	late := fake(t, "never ready")
	late.timeout = hasty
	if err := late.NewGame(t.Context()); !isTimeout(err) {
		t.Errorf("NewGame: %v (%T), want a TimeoutError", err, err)
	}
}

// TestFind looks for programs in PATH and where Debian installs games, and starts one by its name.
func TestFind(t *testing.T) {
	self, err := os.Executable()
	kit.Succeed(t, err)
	inPath, games := t.TempDir(), t.TempDir()
	t.Setenv("PATH", inPath)
	t.Setenv(fakeVariable, "fast")
	defer func(dir string) { gamesDir = dir }(gamesDir)
	gamesDir = games
	program, err := os.ReadFile(self)
	kit.Succeed(t, err)
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	for _, place := range []string{filepath.Join(inPath, "both"), filepath.Join(games, "both"), filepath.Join(games, "game")} {
		kit.Succeed(t, os.WriteFile(place+suffix, program, 0o755))
	}
	for program, want := range map[string]string{
		"both": filepath.Join(inPath, "both") + suffix, "game": filepath.Join(games, "game") + suffix,
		"./game": "./game", filepath.Join(games, "none"): filepath.Join(games, "none"),
	} {
		if path, err := Find(program); err != nil || path != want {
			t.Errorf("Find(%q) = %q, %v, want %q", program, path, err, want)
		}
	}
	e, err := Start(t.Context(), Launch{Path: "game", Timeout: patience})
	kit.Succeed(t, err)
	if e.Close(); e.Name() != "Fake 1.0" {
		t.Errorf("started %q", e.Name())
	}
	for _, start := range []func() error{
		func() error { _, err := Find("none"); return err },
		func() error { _, err := Start(t.Context(), Launch{Path: "none"}); return err },
	} {
		if err := start(); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "none: executable file not found in") ||
			!strings.HasSuffix(err.Error(), ", nor in "+games) {
			t.Errorf("a program that is nowhere: %v", err)
		}
	}
}

// TestListen: an empty text listens without a question, and the end of the input ends the engine.
func TestListen(t *testing.T) {
	goroutines(t)
	e := fake(t, "garbage")
	if e.PID() <= 0 || e.PID() == os.Getpid() {
		t.Errorf("process %d", e.PID())
	}
	if err := e.Command(t.Context(), "", time.Millisecond, func(string) bool { return false }); err != nil {
		t.Errorf("nothing said within the limit: %v", err)
	}
	kit.Succeed(t, e.Command(t.Context(), "go depth 1", 0, nil))
	var heard []string
	err := e.Command(t.Context(), "", patience, func(line string) bool {
		heard = append(heard, line)
		return strings.HasPrefix(line, "bestmove")
	})
	if err != nil || len(heard) < 2 {
		t.Errorf("%q, %v", heard, err)
	}
	kit.Succeed(t, e.Ready(t.Context()))
	kit.Succeed(t, e.CloseInput())
	ended := (*ExitError)(nil)
	if err := e.Command(t.Context(), "", patience, func(string) bool { return false }); !errors.As(err, &ended) {
		t.Errorf("after the end of the input: %v, want an ExitError", err)
	}
}

// TestOptionFault looks at declarations that GUIs cannot use.
func TestOptionFault(t *testing.T) {
	for line, want := range map[string]string{
		"name Hash type spin default 16 min 1 max 1024":           "",
		"name Hash type spin default 1 min 1 max 1":               "",
		"name Clear Hash type button":                             "",
		"name Book File type string default <empty>":              "",
		"name Style type combo default Wild var Solid var Wild":   "",
		"name Hash type string default 16":                        "type string, want spin",
		"name Hash type spin default 16":                          "no range",
		"name Hash type spin default 2000 min 1 max 1024":         "2000 is not from 1 to 1024",
		"name Threads type spin default x min 1 max 4":            "no whole number",
		"name Threads type spin default 1 min 4 max 2":            "no range",
		"name UCI_Chess960 type check default 0":                  "neither true nor false",
		"name Style type combo default Tricky var Solid var Wild": "none of",
		"name Style type colour default red":                      "none of UCI",
	} {
		o, ok := parseOption(line)
		if got := o.Fault(); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestPositionCommand reads what it writes, and nothing else.
func TestPositionCommand(t *testing.T) {
	p := kit.Position(t, "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", "O-O", "O-O-O", "h3")
	for _, chess960 := range []bool{true, false} {
		text := PositionCommand(p, chess960)
		q, err := ParsePosition(text)
		if err != nil || !q.Equal(p) || q.Plies() != p.Plies() {
			t.Errorf("%s: %v, %v, want %v", text, q, err, p)
		}
	}
	if got, want := PositionCommand(kit.Position(t, chess.StartFEN, "e4"), false), "position startpos moves e2e4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, text := range []string{"", "go depth 1", "position", "position moves e2e4", "position fen", "position fen 8/8 w - -",
		"position startpos moves e2e5", "position middle"} {
		if p, err := ParsePosition(text); err == nil {
			t.Errorf("%q gives %v", text, p)
		}
	}
}
