package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// scripted plays given moves, in SAN, one after the other.
type scripted struct {
	moves []string
	score eval.Score
	wait  time.Duration
	begun func() // called when a search begins, where it is not nil
}

func (e *scripted) Analyse(ctx context.Context, p *chess.Position, _ search.Limits, _ search.Options, _ func(search.Info)) (a search.Analysis, err error) {
	if e.begun != nil {
		e.begun()
	}
	select {
	case <-time.After(e.wait):
	case <-ctx.Done():
		return a, ctx.Err()
	}
	m, err := p.ParseSAN(e.moves[0])
	if len(e.moves) > 1 {
		e.moves = e.moves[1:]
	}
	a.Result = search.Result{Best: m, Score: e.score}
	a.Lines = []search.Variation{{Score: e.score, Moves: []chess.Move{m}}}
	return a, err
}

// script is a game in which a person types lines.
type script struct {
	name, fen string
	player    chess.Color
	typed     string
	answers   []string
	score     eval.Score
	base      time.Duration
	wait      time.Duration
	want      []string // in the output, in this order
	without   string
}

func (tt *script) settings(t *testing.T, out io.Writer) GameSettings {
	t.Helper()
	start := chess.NewPosition()
	if tt.fen != "" {
		var err error
		start, err = chess.ParseFEN(tt.fen)
		kit.Succeed(t, err)
	}
	return GameSettings{
		Engine: &scripted{moves: tt.answers, score: tt.score, wait: tt.wait}, Name: "Tabula", Start: start, Player: tt.player,
		Base: tt.base, MoveTime: time.Millisecond, In: strings.NewReader(tt.typed), Out: out,
	}
}

// long is a game of 60 half-moves, both sides alike and no position twice, at whose end a draw is offered.
var long = func() (s struct {
	typed   string
	answers []string
}) {
	moves := "a3 b3 c3 d3 e3 f3 g3 h3 Ra2 Nd2 Bb2 Qc2 Bg2 Ne2 Kf2 Rd1 Kf1 Kg1 Kh2 R2a1 Rac1 Nf1 Ng1 Bh1 Kg2 Kf2 Bg2 Rb1 Ke1 Qd2"
	for _, san := range strings.Fields(moves) {
		s.typed += san + "\n"
		s.answers = append(s.answers, strings.NewReplacer("1", "8", "2", "7", "3", "6").Replace(san))
	}
	s.typed += "draw\n"
	s.answers = append(s.answers, "Ng1e2") // what the engine would play for the person
	return s
}()

func TestScripts(t *testing.T) {
	for _, tt := range []script{
		{name: "mate by the engine", typed: "f3\ng2g4\n", answers: []string{"e5", "Qh4#"},
			want: []string{"You have white", "♟", "Tabula plays 1... e5", `[Result "0-1"]`, `[Termination "checkmate"]`, "1. f3 e5 2. g4 Qh4# 0-1", "0-1: checkmate."}},
		{name: "mate by Black", player: chess.Black, typed: "E7E5\nQh4\n", answers: []string{"f3", "g4"}, want: []string{"h  g  f", `[Black "Player"]`, "0-1: checkmate"}},
		{name: "stalemate", fen: "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", typed: "Qf7\n", want: []string{`[SetUp "1"]`, "1. Qf7 1/2-1/2", "1/2-1/2: stalemate"}},
		{name: "resigns", typed: "e4\nresign\n", answers: []string{"e5"}, want: []string{"1. e4 e5 0-1", "0-1: white resigns"}},
		{name: "takes back", typed: "undo\ne4\nundo\nd4\nquit\n", answers: []string{"e5", "d5"}, want: []string{"no move to take back", "1... e5", "1... d5", "1. d4 d5 *"}, without: "1. e4 e5"},
		{name: "takes back as Black", player: chess.Black, typed: "undo\ne5\nundo\nc5\n", answers: []string{"e4", "Nf3", "Nc3"}, want: []string{"no move to take back", "1. e4 c5 2. Nc3 *"}},
		{name: "hint", typed: "hint\nquit\n", answers: []string{"Nf3"}, score: 35, want: []string{"hint: Nf3 (+0.35 for white; 1. Nf3)"}, without: "[Event"},
		{name: "no move", typed: "e5\nKe3\nxyzzy\n\n", want: []string{`cannot play "e5": illegal`, `cannot play "Ke3"`, `cannot play "xyzzy"`, "help lists"}, without: "[Event"},
		{name: "in letters of either case", typed: "nf3\nNC3\nD2-D4\nbxd4\nquit\n", answers: []string{"Nf6", "Nc6", "e5"}, want: []string{`cannot play "bxd4": illegal`, "1. Nf3 Nf6 2. Nc3 Nc6 3. d4 e5 *"}},
		{name: "near words", typed: "resgn\nhitn\ne9\nNf9\n1. e4\nresgin\nresign\n", answers: []string{"e5"}, want: []string{
			`cannot play "resgn": it names no square; did you mean resign?`, "did you mean hint?", `cannot play "e9": e9 is no square; help lists`,
			`cannot play "Nf9": f9 is no square`, "did you mean resign?", "1. e4 e5 0-1"}},
		{name: "offers a draw before the first move", typed: "draw\nquit\n", answers: []string{"Nf3"}, want: []string{"Tabula declines the draw"}, without: "1/2"},
		{name: "offers a draw to an engine that is worse", typed: "e4\ndraw\n", answers: []string{"e5", "Nf3"}, score: 100, want: []string{`[Termination "agreed"]`, "1. e4 e5 1/2-1/2", "1/2-1/2: agreed"}},
		{name: "offers a draw in a short, level game", typed: "e4\ndraw\nd4\nresign\n", answers: []string{"e5", "Nf3", "d5"}, score: 99, want: []string{"Tabula declines the draw", "2. d4 d5 0-1"}, without: "1/2"},
		{name: "offers a draw in a long, level game", typed: long.typed, answers: long.answers, score: -20, want: []string{"1/2-1/2: agreed"}},
		{name: "offers a draw to an engine that is better in a long game", typed: long.typed + "resign\n", answers: long.answers, score: -21, want: []string{"Tabula declines the draw"}, without: "1/2"},
		{name: "claims", typed: "Nf3\nNg1\nNf3\nNg1\ndraw\n", answers: []string{"Nf6", "Ng8", "Nf6", "Ng8"}, score: 10, want: []string{"1/2-1/2: threefold repetition claimed"}},
		{name: "the engine claims", typed: "Nf3\nNg1\nNf3\nNg1\nNf3\n", answers: []string{"Nf6", "Ng8", "Nf6", "Ng8", "Nf6"}, score: -10, want: []string{"1/2-1/2: Tabula claims threefold repetition"}},
		{name: "Chess960", fen: "4k3/8/8/8/8/8/6q1/R3KR2 w FA - 0 1", typed: "O-O-O\n", answers: []string{"Qg7"}, want: []string{`[Variant "Chess960"]`, "1. O-O-O Qg7 *"}},
		{name: "words", typed: "help\nmoves\nfen\nboard\ne4\npgn\n", answers: []string{"e5"}, want: []string{"takeback", "Nf3", chess.NewPosition().FEN(), "♟", "[Event", "1. e4 e5 *"}},
		{name: "clock", typed: "e4\n", answers: []string{"e5"}, base: time.Hour, want: []string{"White 1:00:00", "Black 1:00:00", "White 59:", `[TimeControl "3600+0"]`, "{[%clk 0:59:"}},
		{name: "the engine's time", player: chess.Black, answers: []string{"e4"}, base: time.Millisecond * 30, wait: 50 * time.Millisecond, want: []string{"You have black", "0-1: white has run out of time"}, without: "black to move"},
		{name: "a move after the flag", typed: "hint\ne4\n", answers: []string{"Nf3"}, score: 100, base: 30 * time.Millisecond, wait: 50 * time.Millisecond, want: []string{"0-1: white has run out of time"}, without: "1. e4"},
		{name: "leaves after the flag", typed: "hint\nquit\n", answers: []string{"Nf3"}, score: 100, base: 30 * time.Millisecond, wait: 50 * time.Millisecond, want: []string{"0-1: white has run out of time"}},
		{name: "the input ends after the flag", typed: "hint\n", answers: []string{"Nf3"}, score: 100, base: 30 * time.Millisecond, wait: 50 * time.Millisecond, want: []string{"0-1: white has run out of time"}},
		{name: "resigns after the flag", typed: "hint\nresign\n", answers: []string{"Nf3"}, score: 100, base: 30 * time.Millisecond, wait: 50 * time.Millisecond, want: []string{"0-1: white has run out of time"}, without: "resigns"},
		{name: "offers a draw that is considered too long", typed: "draw\n", answers: []string{"Nf3"}, score: 100, base: 30 * time.Millisecond, wait: 50 * time.Millisecond, want: []string{"0-1: white has run out of time"}, without: "1/2"},
		{name: "over before it begins", fen: "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", want: []string{"1/2-1/2: stalemate"}, without: "to move"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			kit.Succeed(t, Play(t.Context(), tt.settings(t, &out)))
			rest := out.String()
			for _, want := range tt.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("no %q in the rest of\n%s", want, &out)
				}
				rest = after
			}
			if tt.without != "" && strings.Contains(out.String(), tt.without) {
				t.Errorf("%q in\n%s", tt.without, &out)
			}
			if strings.Contains(out.String(), "\x1b") {
				t.Error("control sequences without colour")
			}
		})
	}
}

// TestPersonsTime lets a person's clock run out who types nothing.
func TestPersonsTime(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	var out bytes.Buffer
	s := (&script{base: 30 * time.Millisecond}).settings(t, &out)
	s.In = in
	if err := Play(t.Context(), s); err != nil || !strings.Contains(out.String(), "0-1: white has run out of time") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// heard calls told once text has been written.
type heard struct {
	bytes.Buffer
	text string
	told func()
}

func (h *heard) Write(p []byte) (int, error) {
	n, err := h.Buffer.Write(p)
	if h.told != nil && strings.Contains(h.String(), h.text) {
		h.told()
		h.told = nil
	}
	return n, err
}

// TestInterrupted shows that the game is kept when a signal ends it, while the person
// thinks and while the engine does, and that it is appended to what the file has.
func TestInterrupted(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Hour} {
		name := filepath.Join(t.TempDir(), "games.pgn")
		kit.Write(t, name, []byte("1. d4 *"))
		in, typed := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		soon := func() { time.AfterFunc(50*time.Millisecond, cancel) }
		engine := &scripted{moves: []string{"e5"}, wait: wait}
		out := &heard{}
		if wait > 0 {
			engine.begun = soon
		} else {
			out.text, out.told = "plays 1... e5", soon
		}
		s := (&script{}).settings(t, out)
		s.Engine, s.In, s.PGN = engine, in, name
		go io.WriteString(typed, "e4\n") //nolint:errcheck // the pipe is open
		if err := Play(ctx, s); !errors.Is(err, exit.ErrInterrupted) {
			t.Errorf("interrupted: %v", err)
		}
		typed.Close()
		f, err := os.Open(name)
		kit.Succeed(t, err)
		var plies []int
		for g, err := range pgn.NewReader(f).Games() {
			kit.Succeed(t, err)
			plies = append(plies, len(g.Main.Moves))
		}
		f.Close()
		if want := 2; len(plies) != 2 || plies[0] != 1 || wait == 0 && plies[1] != want || wait > 0 && plies[1] != 1 {
			t.Errorf("games of %v plies are kept", plies)
		}
	}
}

func TestNoPlaceForTheGame(t *testing.T) {
	s := (&script{}).settings(t, io.Discard)
	link := filepath.Join(t.TempDir(), "link.pgn")
	_ = os.Symlink("link.pgn", link) // to itself; a directory does where there are no links
	_ = os.Mkdir(link, 0o777)
	for _, s.PGN = range []string{"/nowhere/games.pgn", link} {
		if err := Play(t.Context(), s); exit.Code(err) != exit.Usage {
			t.Errorf("%s: %v", s.PGN, err)
		}
	}
	var out bytes.Buffer
	dir := filepath.Join(t.TempDir(), "gone")
	kit.Succeed(t, os.Mkdir(dir, 0o777))
	s = (&script{typed: "e4\nresign\n", base: time.Minute}).settings(t, &out)
	s.PGN, s.Inc = filepath.Join(dir, "games.pgn"), 500*time.Millisecond
	s.Engine = &scripted{moves: []string{"e5"}, begun: func() { kit.Succeed(t, os.RemoveAll(dir)) }}
	if err := Play(t.Context(), s); err == nil || !strings.Contains(out.String(), "1. e4") ||
		!strings.Contains(out.String(), `[TimeControl "60+0.5"]`) {
		t.Errorf("the place has gone during the game: %v\n%s", err, &out)
	}
}

// always is a line that is typed again and again.
type always string

func (a always) Read(b []byte) (int, error) { return copy(b, a), nil }

// TestNobodySees: a game ends where nothing can be written.
func TestNobodySees(t *testing.T) {
	read, full := io.Pipe()
	_ = read.Close()
	s := (&script{}).settings(t, full)
	s.In = always("board\n")
	if err := Play(t.Context(), s); err != nil {
		t.Error(err)
	}
}

// TestGamesThatEndTogether: games that end at one time are all kept in one file.
func TestGamesThatEndTogether(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.pgn")
	var all sync.WaitGroup
	for range 4 {
		s := (&script{typed: "e4\nresign\n", answers: []string{"e5"}}).settings(t, io.Discard)
		s.PGN = name
		all.Go(func() {
			if err := Play(t.Context(), s); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := strings.Count(string(kit.Read(t, name)), "1. e4 e5 0-1"); n != 4 {
		t.Errorf("%d games are kept, want 4", n)
	}
}

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0:00.0", -1: "0:00.0", 12340 * time.Millisecond: "0:12.3", 75 * time.Second: "1:15", 2 * time.Hour: "2:00:00"} {
		if got := clock(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
