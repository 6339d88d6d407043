package protocol

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/uci/client"
)

// Rule is something that an engine has to do.
type Rule struct {
	Name   string `json:"name"`
	Says   string `json:"says"`
	Source string `json:"source"`          // begins with UCI, or names who else asks for it
	Breaks string `json:"breaks"`          // what goes wrong in practice
	Others string `json:"fastchess"`       // where fastchess checks it too; "" for nowhere
	Needs  string `json:"needs,omitempty"` // the option without which the rule does not apply

	all     bool   // whatever is found in its sessions breaks this rule, as GUIs should not send such things
	own     bool   // an engine that does not answer there, or ends, breaks this rule
	scripts string // sessions on lines of their own, commands separated by |
	made    func(options []client.Option) []string
}

// Note reports whether the rule is not one of UCI's text: a finding is worth knowing, but no failure.
func (r *Rule) Note() bool { return !strings.HasPrefix(r.Source, "UCI") }

// sessions returns the scripts of a rule, for an engine with these options.
func (r *Rule) sessions(options []client.Option) (all [][]string) {
	for script := range strings.Lines(r.scripts) {
		all = append(all, strings.Split(strings.TrimSuffix(script, "\n"), "|"))
	}
	if r.made != nil {
		all = append(all, r.made(options))
	}
	return all
}

// Rules returns all rules. Most scripts repeat what engines got wrong in public threads. Besides the commands of UCI
// they hold
//
//	COMMAND &      the next line does not wait for the answer
//	sleep N        listens for N milliseconds
//	eof            ends the input
//	= draw         the last search has to say that the game is drawn
//	= behind       the last search has to say that the side to move is worse
//	= same         the last two searches have to be the same
//	= memory       notes how much memory the engine uses
//
// and set only options that the engine has.
func Rules() []Rule {
	return []Rule{
		{Name: "handshake", Says: "answers uci with id name, id author and uciok, within 10 seconds",
			Source: `UCI: "the engine must identify itself with the "id" command"`, own: true,
			Breaks: "GUIs refuse the engine", Others: "--compliance 1 to 4", scripts: "isready|ucinewgame|isready"},
		{Name: "options", Says: "declares options with a name, a type, a default in range and choices",
			Source: `UCI: "which parameters can be changed in the engine"`,
			Breaks: "runners refuse values; fastchess stops at a spin without a number"},
		{Name: "values", Says: "accepts every value that it declares", Source: "UCI: option min, max and var", own: true,
			Breaks: "the engine ends when the game starts", made: optionScript},
		{Name: "isready", Says: "answers isready at any time, while the search goes on",
			Source: `UCI: "must always be answered with "readyok" and can be sent also when the engine is calculating"`,
			Breaks: `runners end the game: "connection stalls"`, Others: "--compliance 2, 7, 9, without a search",
			scripts: "position startpos|go infinite|isready|sleep 200|isready|stop|isready"},
		{Name: "answer", Says: "gives exactly one bestmove for each go",
			Source: `UCI: "for every "go" command a "bestmove" command is needed!"`,
			Breaks: "the game hangs, or the next go gets this answer", Others: "--compliance 11 to 38, at least one",
			scripts: "position startpos|stop|go depth 2|stop &|sleep 100|position startpos moves e2e4|go depth 2|sleep 50\n" +
				each("go depth 3", oneMove) + "|go wtime 1000 btime 1000|sleep 100"},
		{Name: "infinite", Says: "gives no bestmove in go infinite before stop",
			Source: `UCI: "Do not exit the search without being told so in this mode!"`, own: true,
			Breaks: "GUIs end the analysis at a mate or at the last depth", scripts: each("go infinite", mateIn1) +
				"|sleep 500|stop\n" + each("go infinite", bareKings) + "|sleep 700|stop\n" + each("go infinite", oneMove) +
				"|sleep 300|stop\n" + each("go infinite", mated) + "|sleep 300|stop"},
		{Name: "ponder", Says: "gives no bestmove in go ponder before ponderhit or stop, and then one in time",
			Source: `UCI: "Do not exit the search in ponder mode, even if it's mate!"`, Needs: "Ponder", own: true,
			Breaks: "the answer to a move that was not played is played, or dropped",
			scripts: "setoption name Ponder value true|position startpos moves e2e4 e7e5|go ponder wtime 1500 btime 1500|" +
				"sleep 400|ponderhit|position startpos moves e2e4 c7c5|go ponder wtime 1500 btime 1500|sleep 100|stop\n" +
				"setoption name Ponder value true|" + each("go ponder wtime 1000 btime 1000", mateIn1) + "|sleep 400|ponderhit|" +
				each("go ponder movetime 100", oneMove) + "|sleep 300|ponderhit"},
		{Name: "bestmove", Says: "gives legal moves as bestmove and as the move to ponder on",
			Source: `UCI: "bestmove <move1> [ ponder <move2> ]"`, Breaks: "the game is lost", Others: "in games",
			scripts: each("go depth 3", middle, "8/1P6/8/k1K5/8/8/6p1/8 w - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 w - - 0 1",
				"4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 2", trapped)},
		{Name: "pv", Says: "gives legal moves in pv and currmove", Source: `UCI: "pv: the best line found"`,
			Breaks: "GUIs cut the line or show nonsense", Others: "in games, a warning", scripts: each("go depth 6",
				chess.StartFEN, middle, "6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1", trapped, cornered)},
		{Name: "castling", Says: "writes castling as king takes rook with UCI_Chess960, as the king's step without",
			Source: `UCI: "e1g1 (white short castling)"; king takes rook as Shredder, which UCI_Chess960 comes from`,
			Breaks: "the game is lost", scripts: each("go depth 2", castlesLong, castlesShort) +
				"\nsetoption name UCI_Chess960 value true|" + each("go depth 2", "7r/2R1p3/8/8/6p1/3k4/8/R2KR3 w KQ - 0 1",
				"6r1/P7/3p2R1/8/3p1k2/3P4/8/4RK1R w KQ - 0 1", castlesLong, castlesShort)},
		{Name: "searchmoves", Says: "searches and plays only the moves of searchmoves",
			Source: `UCI: "restrict search to this moves only"`, Breaks: "GUIs show other moves than the user asked for",
			scripts: each("go depth 4 searchmoves a2a3 h2h3", chess.StartFEN) + "|go depth 3|" +
				each("go depth 3 searchmoves e5f7", middle)},
		{Name: "multipv", Says: "gives MultiPV lines, or one for each legal move, the best first",
			Source: `UCI: "in k-best mode always send all k variants in k strings together"`, Needs: "MultiPV",
			Breaks: "analyses lack lines or show them twice", scripts: "setoption name MultiPV value 4|" + each("go depth 4",
				chess.StartFEN, mateIn1, trapped, cornered)},
		{Name: "side", Says: "gives scores from the point of view of the side to move",
			Source: `UCI: "the score from the engine's point of view in centipawns"`,
			Breaks: "graphs and adjudication are upside down", scripts: each("go depth 2", "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1") +
				"|= behind|" + each("go depth 2", "qq2k3/8/8/8/8/8/8/4K3 w - - 0 1") + "|= behind"},
		{Name: "mate", Says: "claims only mates that can be forced, and counts moves, not plies",
			Source: `UCI: "mate in y moves, not plies. If the engine is getting mated use negative values for y."`,
			Breaks: "wrong adjudication of games, wrong reviews", scripts: each("go depth 6", mateIn1, mateIn2,
				"6k1/5ppp/8/8/8/8/q4PPP/3Q2K1 w - - 0 1", mateIn3, "8/8/8/8/8/1k1r4/8/K7 w - - 0 1",
				"k7/8/1K6/8/8/8/8/6R1 w - - 0 1")},
		{Name: "mate-line", Says: "shows a line as long as the mate that it claims", Source: "fastchess, fishtest",
			Breaks: "warnings of runners; users do not see the mate", Others: "in games, with -check-mate-pvs"},
		{Name: "draw-line", Says: "ends a line where the game is drawn", Source: "fastchess", Breaks: "warnings of runners",
			Others: "in games, a warning", scripts: each("go depth 8", "7k/8/8/8/8/8/R7/K7 w - - 97 120", perpetual)},
		{Name: "score", Says: "gives a score before bestmove, and an exact one at the end", Source: "fastchess, cutechess",
			Breaks: "no adjudication and no graph, as runners skip bounds", Others: "--compliance 12 to 38, any score",
			scripts: each("go movetime 100", middle) + "|go wtime 500 btime 500"},
		{Name: "numbers", Says: "writes numbers and scores as whole numbers, in their ranges", Source: `UCI: "info"`,
			Breaks: "the values are lost", Others: "--compliance 13 to 40"},
		{Name: "idle", Says: "gives no score and no line without a search",
			Source: `UCI: "never start calculating or pondering without receiving a "go" command first"`,
			Breaks: "it counts for the next position"},
		{Name: "same-move", Says: "plays the first move of its last exact line", Source: "fastchess",
			Breaks: "the score is one of another move", Others: "in games, a warning"},
		{Name: "depth", Says: "searches to the depth of go depth, no deeper", Source: `UCI: "search x plies only"`,
			Breaks: "matches at a fixed depth compare nothing", scripts: each("go depth 1", middle) + "|go depth 5"},
		{Name: "nodes", Says: "ends go nodes N by 2N + 10,000, and forgets the limit",
			Source: `UCI: "search x nodes only"`, own: true, Breaks: "matches at fixed nodes compare nothing",
			scripts: each("go nodes 20000", middle) + "|go nodes 1000|go depth 5"},
		{Name: "movetime", Says: "answers by the end of go movetime", Source: `UCI: "search exactly x mseconds"`, own: true,
			Breaks: "the game is lost on time", Others: "in games", scripts: each("go movetime 100", chess.StartFEN, middle,
				mateIn1) + "|" + each("go movetime 300", middle)},
		{Name: "mate-search", Says: "ends go mate N at a mate in N", Source: `UCI: "search for a mate in x moves"`,
			own: true, Breaks: "solvers of problems wait for ever", scripts: each("go mate 1", mateIn1) + "\n" +
				each("go mate 2", mateIn2)},
		{Name: "clock", Says: "answers before its clock ends, whichever of its fields are there",
			Source: "UCI: wtime, btime, winc, binc and movestogo", own: true, Breaks: "the game is lost on time",
			Others: "--compliance 10 to 38, at any time", scripts: each("go wtime 1000 btime 1000", middle) +
				"|go wtime 400 btime 400 winc 10 binc 10|" +
				"go wtime 300 btime 300 winc 3000 binc 3000|go wtime 400 btime 400 movestogo 1|go wtime 400|" +
				"go wtime 500 btime 500 winc 100 binc 100 movestogo 40|position startpos moves e2e4|go btime 400|" +
				"go wtime 30000 btime 400"},
		{Name: "tiny", Says: "plays a legal move within the smallest limits", Source: "UCI: go", own: true,
			Breaks: "the game is lost", scripts: each("go nodes 1", middle) + "|go depth 1|go movetime 1|go wtime 1 btime 1|" +
				"go wtime 10 btime 10 movestogo 1|go wtime 20 btime 20 winc 1 binc 1"},
		{Name: "flagged", Says: "plays a legal move with a clock at zero or below",
			Source: "GUIs that play on after a flag", all: true, Breaks: "the game hangs",
			scripts: "position startpos|go wtime 0 btime 0\n" +
				"position startpos|go wtime -100 btime -100|go wtime -5 btime 1000 winc 10 binc 10"},
		{Name: "stop", Says: "answers stop at once", Source: `UCI: "stop calculating as soon as possible"`, own: true,
			Breaks: "runners end the game, GUIs seem to hang", scripts: each("go infinite", middle) +
				"|sleep 200|stop|go infinite|stop|" + each("go depth 60 &", chess.StartFEN) + "|sleep 100|stop"},
		{Name: "in-flight", Says: "survives setoption, ucinewgame and position in a search, and answers it",
			Source: "GUIs that send them too early", all: true, Breaks: "the engine ends or hangs",
			scripts: "position startpos|go movetime 300 &|setoption name Hash value 8 &|" +
				"setoption name Threads value 1 &|isready\n" +
				"position startpos|go movetime 300 &|ucinewgame &|position startpos moves e2e4 &|isready|" +
				"position startpos moves d2d4|go depth 2"},
		{Name: "long-game", Says: "goes on after 2,000 plies", Source: "UCI: position ... moves", own: true,
			Breaks: "the engine ends in long games", scripts: client.PositionCommand(generator.LongGame(2000), false) +
				"|go depth 2|go movetime 100"},
		{Name: "game-over", Says: "answers go where no move is legal, with no move and no other score than 0",
			Source: `UCI: "for every "go" command a "bestmove" command is needed!"`, own: true,
			Breaks: "analyses of finished games hang", scripts: each("go depth 5", mated) + "|go wtime 1000 btime 1000\n" +
				each("go depth 5", stalemate) + "|go wtime 1000 btime 1000"},
		{Name: "draws", Says: "knows a third repetition and fifty moves", Source: "the laws of chess, 9.2 and 9.3",
			Breaks: "won games are drawn, drawn games lost", scripts: each("go depth 4", "8/8/8/4k3/8/8/8/KQ6 w - - 99 120") +
				"|= draw\n" + each("go depth 5",
				"6k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1 moves d1d2 g8f8 d2d1 f8g8 d1d2 g8f8 d2d1") + "|= draw"},
		{Name: "bad-position", Says: "survives positions that are none", Source: "users, who type them", all: true,
			Breaks: "the engine ends", scripts: badPositions()},
		{Name: "white-space", Says: "reads any white space between words, and either line end",
			Source: `UCI: "arbitrary white space between tokens is allowed"`, all: true,
			Breaks:  "commands of scripts and other systems are lost",
			scripts: "position  \tstartpos   moves\te2e4|go  depth\t2\nisready\r|position startpos moves e2e4\r|go depth 2\r"},
		{Name: "unknown", Says: "ignores unknown words and reads the rest of the line",
			Source: `users and extensions; UCI's text wants it too: "joho debug on"`, all: true,
			Breaks: "an extension ends the engine", scripts: "xyzzy||xyzzy " + strings.Repeat("long ", 4000) +
				"|debug on|debug off|register later|isready\n" + "joho isready\n  isready\t"},
		{Name: "quit", Says: "ends at quit, in a search too", Source: `UCI: "quit the program as soon as possible"`,
			Breaks: "processes pile up", scripts: "quit\nposition startpos|go infinite|sleep 100|quit"},
		{Name: "end-of-input", Says: "ends at the end of its input", Source: "OpenBench, scripts, GUIs that crash",
			all: true, Breaks: "processes of dead GUIs use whole cores",
			scripts: "eof\nposition startpos|go infinite|sleep 100|eof"},
		{Name: "alive", Says: "does not end by itself", Source: "UCI", Breaks: "the game is lost", Others: "in games"},
		{Name: "output", Says: "prints text, in lines of at most 1 MiB, and only id and option lines before uciok",
			Source: "GUIs", Breaks: "GUIs drop lines or stop"},
		{Name: "repeat", Says: "searches the same nodes after ucinewgame, with one thread", Source: "OpenBench",
			Breaks: "faults cannot be repeated", scripts: "setoption name Threads value 1|setoption name Hash value 4|" +
				strings.Repeat("ucinewgame|isready|"+each("go depth 6", middle)+"|", 2) + "= same"},
		{Name: "memory", Says: "does not grow in 500 games", Source: "runners, which play thousands",
			Breaks: "the system ends the engine", scripts: "setoption name Hash value 4|" + games(100) + games(200) +
				games(200) + "isready"},
		{Name: "bench", Says: "counts the same nodes each time, where bench exists", Source: "OpenBench",
			Breaks: "OpenBench refuses the engine"},
	}
}

// Positions of several scripts.
const (
	mateIn1      = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"
	mateIn2      = "7k/8/8/8/8/8/R7/1R5K w - - 0 1"
	mateIn3      = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"
	mated        = "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"
	oneMove      = "7k/8/8/8/8/8/1q6/K7 w - - 0 1"
	stalemate    = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
	trapped      = "8/8/8/8/8/6k1/5p2/5K2 w - - 0 1"
	cornered     = "k7/P7/8/K7/8/8/8/8 w - - 0 1"
	bareKings    = "8/8/4k3/8/8/4K3/8/8 w - - 0 1"
	middle       = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
	perpetual    = "7k/6p1/8/8/8/8/1q4PP/4Q2K w - - 10 40 moves e1e8 h8h7 e8h5 h7g8 h5e8 g8h7 e8h5 h7g8"
	castlesLong  = "8/2p2p2/8/4p3/1Q5N/p1Nkr3/4N3/R3K2R w KQ - 0 1"
	castlesShort = "8/4Q3/6B1/4p3/b7/4pk2/6R1/R3K2R w KQ - 0 1"
)

// each returns the part of a script that searches positions in turn.
func each(command string, fens ...string) string {
	return "position fen " + strings.Join(fens, "|"+command+"|position fen ") + "|" + command
}

// games returns the part of a script that plays some short games and notes the memory.
func games(n int) string {
	game := "ucinewgame|isready|position startpos moves e2e4|go depth 2|position startpos moves e2e4 e7e5|go depth 2|"
	return strings.Repeat(game, n) + "isready|= memory|"
}

// badPositions returns scripts with what is no position: all without a search, then each with one.
func badPositions() string {
	bad := []string{
		"fen blah", "fen", "fen 8/8 w - - 0 1", "fen 8/8/8/8/8/8/8/8 w - - 0 1", "fen 4k1k1/8/8/8/8/8/8/4K3 w - - 0 1",
		"fen P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "fen ppppppppp/8/8/8/8/4k3/8/4K3 w - - 0 1",
		"fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
		"fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq z9 x y", "startpos moves e2e4 e7e5 e1e3",
		"startpos moves x 0000",
		"fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 1",
	}
	return "position " + strings.Join(bad, "|isready|position ") + "|isready|position startpos|go depth 2\n" +
		"position " + strings.Join(bad, "|go depth 1 &|sleep 100|isready\nposition ") + "|go depth 1 &|sleep 100|isready"
}

// optionScript sets each option to values of its range and back.
func optionScript(options []client.Option) (script []string) {
	for _, o := range options {
		for _, value := range safeValues(&o) {
			script = append(script, fmt.Sprintf("setoption name %s value %s", o.Name, value), "isready")
		}
	}
	return append(script, "position startpos", "go depth 2")
}

// safeValues returns values to set an option to, the default last. Threads and megabytes stay few, and nothing is set
// that could write a file.
func safeValues(o *client.Option) []string {
	name := strings.ToLower(o.Name)
	switch {
	case strings.Contains(name, "log") || strings.Contains(name, "book"):
		return nil
	case o.Type == client.Check:
		return []string{"true", "false", o.Default}
	case o.Type == client.Combo:
		return append(o.Choices, o.Default)
	case o.Type == client.Spin && o.Max <= 10_000 && !strings.Contains(name, "thread") && !strings.Contains(name, "hash"):
		return []string{fmt.Sprint(o.Min), fmt.Sprint(o.Max), o.Default}
	case o.Type == client.Spin:
		return []string{fmt.Sprint(o.Min), o.Default}
	}
	return nil
}
