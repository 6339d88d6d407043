package uci

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/chess"
)

// Command is a command that [Run] knows. The parser, [IsCommand] and the help texts are
// made from the list that [Commands] returns.
type Command struct {
	Word     string // what a line of it begins with
	Args     string // what may follow, for people
	Doc      string // one sentence for people
	Standard bool   // the UCI specification has it

	idle   bool // waits for the end of the job under way
	urgent bool // overtakes commands that wait
	handle func(s *session, args []string) error
}

// Commands returns the list of commands in the order that help prints them.
// The slice is the caller's.
func Commands() []Command {
	return []Command{
		{Word: "uci", Standard: true, handle: do((*session).identify),
			Doc: "Tells name, author and options."},
		{Word: "isready", Standard: true, urgent: true, handle: do((*session).ready),
			Doc: "Answers readyok: at once during a search, otherwise when the memory of Hash is allocated."},
		{Word: "ucinewgame", Standard: true, idle: true, handle: do((*session).newGame),
			Doc: "Forgets everything learnt and sets up the start position."},
		{Word: "position", Args: "startpos|fen FEN [moves MOVE …]", Standard: true, handle: (*session).position,
			Doc: "Sets up a position, with the history of its moves."},
		{Word: "go", Args: "[LIMIT …]", Standard: true, idle: true, handle: (*session).goCommand,
			Doc: "Searches the position within the limits below; without any, until stop."},
		{Word: "stop", Standard: true, urgent: true, handle: do((*session).stop),
			Doc: "Ends the search under way with its best move, or a perft, bench or genfens."},
		{Word: "ponderhit", Standard: true, urgent: true, handle: do((*session).ponderHit),
			Doc: "Tells that the move pondered on was played."},
		{Word: "setoption", Args: "name NAME [value VALUE]", Standard: true, idle: true, handle: (*session).setOption,
			Doc: "Sets an option, once the search under way has ended; uci lists them."},
		{Word: "debug", Args: "on|off", Standard: true, handle: checkDebug,
			Doc: "Has no effect: info strings are always sent, and Debug Log File has every line."},
		{Word: "quit", Standard: true, handle: do(func(s *session) { s.over = true }),
			Doc: "Ends the program."},
		{Word: "wait", handle: do((*session).wait),
			Doc: "Waits for the end of the search under way before the commands that follow, stop and quit included."},
		{Word: "d", handle: do((*session).display),
			Doc: "Shows the board, its FEN and key, and which code paths run."},
		{Word: "eval", handle: do((*session).evaluate),
			Doc: "Shows what each piece is worth to the network where it stands."},
		{Word: "bench", Args: "[DEPTH [THREADS [HASH]]]", idle: true, handle: (*session).bench,
			Doc: "Searches a fixed set of positions and prints nodes and speed; HASH in MiB."},
		{Word: "compiler", handle: do((*session).compiler),
			Doc: "Tells how the program was built and what it runs on."},
		{Word: "genfens", Args: genArgs, idle: true, handle: (*session).genFENs,
			Doc: "Prints N start positions after random moves, for OpenBench."},
		{Word: "help", handle: do(func(s *session) { s.out.write([]byte(Help())) }),
			Doc: "Prints this list."},
	}
}

// do handles a command without arguments.
func do(f func(*session)) func(*session, []string) error {
	return func(s *session, _ []string) error { f(s); return nil }
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

// wait handles wait. Where the job under way ends by itself, it was waited for already.
func (s *session) wait() {
	if s.job != nil {
		s.out.note("wait refused: the search has no end of its own; stop ends it")
	}
}

// newGame handles ucinewgame.
func (s *session) newGame() {
	s.engine.Clear()
	s.set.strength.game = rand.Uint64()
	s.set.nodes.started = [2]bool{} // the first go tells how much time there is
	if err := s.holdStrength(); err != nil {
		s.out.note("%v", err)
	}
	s.root, s.behind = chess.NewPosition(), false
}
