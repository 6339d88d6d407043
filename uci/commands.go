package uci

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// Command is one command that [Run] obeys. The parser, [IsCommand] and every
// help text are made from the list that [Commands] returns.
type Command struct {
	Word     string // what a line of it begins with
	Args     string // what may follow, for people
	Doc      string // one sentence for people
	Standard bool   // the UCI specification has it

	idle   bool // waits for the end of the job under way
	urgent bool // overtakes commands that wait
	obey   func(s *session, args []string, at time.Time) error
}

// Commands returns the list of commands in the order that help prints them.
// The slice is the caller's.
func Commands() []Command {
	return []Command{
		{
			Word: "uci", Standard: true, Doc: "Tells name, author and options.",
			obey: func(s *session, _ []string, _ time.Time) error { s.identify(); return nil },
		},
		{
			Word: "isready", Standard: true, urgent: true, Doc: "Answers readyok, during a search too; without one, when the memory of the Hash is at hand.",
			obey: func(s *session, _ []string, _ time.Time) error { s.ready(); return nil },
		},
		{
			Word: "ucinewgame", Standard: true, idle: true, Doc: "Forgets everything learnt and sets up the start position.",
			obey: func(s *session, _ []string, _ time.Time) error { s.newGame(); return nil },
		},
		{
			Word: "position", Args: "startpos|fen FEN [moves MOVE …]", Standard: true, Doc: "Sets up a position, with the history of its moves.",
			obey: func(s *session, args []string, _ time.Time) error { return s.position(args) },
		},
		{
			Word: "go", Args: "[LIMIT …]", Standard: true, idle: true, Doc: "Searches the position within the limits below; without any, until stop.",
			obey: func(s *session, args []string, at time.Time) error { return s.goCommand(args, at) },
		},
		{
			Word: "stop", Standard: true, urgent: true, Doc: "Ends the search under way with its best move, or a perft, bench or genfens.",
			obey: func(s *session, _ []string, _ time.Time) error { s.halt(); return nil },
		},
		{
			Word: "ponderhit", Standard: true, urgent: true, Doc: "Tells that the move pondered on was played.",
			obey: func(s *session, _ []string, _ time.Time) error { s.ponderHit(); return nil },
		},
		{
			Word: "setoption", Args: "name NAME [value VALUE]", Standard: true, idle: true, Doc: "Sets an option, once the search under way has ended; uci lists them.",
			obey: func(s *session, args []string, _ time.Time) error { return s.setOption(args) },
		},
		{
			Word: "debug", Args: "on|off", Standard: true, Doc: "Changes nothing: info strings say what there is to say, and Debug Log File has every line.",
			obey: func(_ *session, args []string, _ time.Time) error { return checkDebug(args) },
		},
		{
			Word: "quit", Standard: true, Doc: "Ends the program.",
			obey: func(s *session, _ []string, _ time.Time) error { s.over = true; return nil },
		},
		{
			Word: "wait", Doc: "Waits for the end of the search under way before the commands that follow; a second quit ends it.",
			obey: func(s *session, _ []string, _ time.Time) error { s.wait(); return nil },
		},
		{
			Word: "d", Doc: "Shows the board, its FEN and key, and which code paths run.",
			obey: func(s *session, _ []string, _ time.Time) error { s.display(); return nil },
		},
		{
			Word: "eval", Doc: "Shows what each piece is worth to the network where it stands.",
			obey: func(s *session, _ []string, _ time.Time) error { s.evaluate(); return nil },
		},
		{
			Word: "bench", Args: "[DEPTH [THREADS [HASH]]]", idle: true, Doc: "Searches a fixed set of positions and prints nodes and speed; HASH in MiB.",
			obey: func(s *session, args []string, _ time.Time) error { return s.bench(args) },
		},
		{
			Word: "compiler", Doc: "Tells how the program was built and what it runs on.",
			obey: func(s *session, _ []string, _ time.Time) error { s.compiler(); return nil },
		},
		{
			Word: "genfens", Args: genArgs, idle: true, Doc: "Prints N start positions after random moves, for OpenBench.",
			obey: func(s *session, args []string, _ time.Time) error { return s.genFENs(args) },
		},
		{
			Word: "help", Doc: "Prints this list.",
			obey: func(s *session, _ []string, _ time.Time) error { s.out.write([]byte(Help())); return nil },
		},
	}
}

// IsCommand reports whether word is a command that [Run] knows.
func IsCommand(word string) bool {
	return slices.ContainsFunc(Commands(), func(c Command) bool { return c.Word == word })
}

// Help returns the commands and the limits of go as a text for a terminal.
func Help() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range Commands() {
		fmt.Fprintf(w, "  %s\t%s\n", strings.TrimSpace(c.Word+" "+c.Args), c.Doc)
	}
	fmt.Fprintln(w, "\nLimits of go:")
	for _, g := range goWords() {
		fmt.Fprintf(w, "  %s\t%s\n", strings.TrimSpace(g.word+" "+g.takes), g.doc)
	}
	w.Flush() // into memory: it cannot fail
	return b.String()
}

// wait obeys wait. Where the job under way ends by itself, it was waited for already.
func (s *session) wait() {
	if s.busy() {
		s.out.note("wait refused: the search has no end of its own; stop ends it")
	}
}

// newGame obeys ucinewgame.
func (s *session) newGame() {
	s.engine.Clear()
	s.set.strength.game = rand.Uint64()
	s.set.nodes.reset()
	if err := s.holdStrength(); err != nil {
		s.out.note("%v", err)
	}
	s.root, s.behind = chess.NewPosition(), false
}
