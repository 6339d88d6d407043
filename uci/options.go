package uci

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/machine"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// noFile is how GUIs send the empty string.
const noFile = "<empty>"

// DefaultHash is the size of the transposition table, in MiB, that an engine
// given to [Run] is expected to have, and the default of the Hash option.
const DefaultHash = 16

const defaultOverhead = 10 // milliseconds

// OptionType is the type of an option, in the words of the protocol.
type OptionType string

// The types in use.
const (
	Check  OptionType = "check"
	Spin   OptionType = "spin"
	Button OptionType = "button"
	String OptionType = "string"
)

// Option is an option of the engine. The answer to uci, setoption and the table in
// docs/uci.md are made from the list that [Options] returns.
type Option struct {
	Name     string
	Type     OptionType
	Default  int    // 1 and 0 stand for true and false of a check
	Text     string // default of a string
	Min, Max int    // of a spin, inclusive
	Aliases  []string
	Doc      string // one sentence for people

	apply func(*session, value) error
}

// value is what an option is set to.
type value struct {
	number int    // within Min and Max of a spin, 0 or 1 of a check
	text   string // of a string
}

// settings are the values that options set and searches read.
type settings struct {
	multiPV  int
	overhead time.Duration
	chess960 bool
	chances  bool // UCI_ShowWDL
	strength strength
	tables   search.Tables
	ownBook  bool
	nodes    nodeClock
	threads  int // 0: 1
	hash     int // MiB, 0 before Hash was set: perft uses a table after that
}

// Options returns the list of options in the order uci prints them. The slice
// is the caller's.
func Options() []Option {
	return append([]Option{
		{Name: "Hash", Type: Spin, Default: DefaultHash, Min: 1, Max: search.MaxHash,
			Doc: "Size of the transposition table in MiB. Where memory is short the old table stays. `go perft` uses a " +
				"table once this was set.",
			apply: func(s *session, v value) error {
				if err := s.engine.SetHash(v.number); err != nil {
					return fmt.Errorf("%w; the table stays at %s", err, s.engine.Memory())
				}
				s.set.hash = v.number
				s.out.note("hash: %s", s.engine.Memory())
				return nil
			}},
		{Name: "Clear Hash", Type: Button,
			Doc:   "Forgets everything learnt from earlier searches.",
			apply: func(s *session, _ value) error { s.engine.Clear(); return nil }},
		{Name: "Threads", Type: Spin, Default: 1, Min: 1, Max: search.MaxThreads,
			Doc: "Number of search threads, best as many as there are cores. Each takes about 5 MiB besides the Hash. " +
				"`go perft` uses as many.",
			apply: func(s *session, v value) error {
				if err := s.engine.SetThreads(v.number); err != nil {
					return err
				}
				s.set.threads = v.number
				if cores := machine.Cores(); v.number > cores {
					s.out.note("threads: %d on %s take turns and are slower than %d", v.number, plural.Of(cores, "core"), cores)
				}
				return nil
			}},
		{Name: "MultiPV", Type: Spin, Default: 1, Min: 1, Max: 256,
			Doc: "Number of best lines to report; never more than there are legal moves, or moves that a player of limited " +
				"strength thinks of.",
			apply: func(s *session, v value) error { s.set.multiPV = v.number; return nil }},
		{Name: "Ponder", Type: Check,
			Doc: "Tells a GUI that the engine can think on the opponent's time. " +
				"`go ponder` works with either value.",
			apply: func(*session, value) error { return nil }},
		{Name: "Move Overhead", Type: Spin, Default: defaultOverhead, Min: 0, Max: 5000, Aliases: []string{"MoveOverhead"},
			Doc: "Milliseconds held back in every timed search for delays between engine and GUI; of `movetime` at most half.",
			apply: func(s *session, v value) error {
				s.set.overhead = time.Duration(v.number) * time.Millisecond
				return nil
			}},
		{Name: "nodestime", Type: Spin, Default: 0, Min: 0, Max: 10000,
			Doc: "Counts this many nodes as a millisecond of every clock, so that games do not depend on the machine; " +
				"0 is off. " +
				"The clock of a game starts at what the first `go` says.",
			apply: func(s *session, v value) error { s.set.nodes = nodeClock{perMS: v.number}; return nil }},
		{Name: "UCI_Chess960", Type: Check,
			Doc: "Writes castling as king takes rook, and takes the castling rights KQkq of a FEN as those of Chess960. " +
				"Moves are read in both forms in either mode.",
			apply: func(s *session, v value) error { s.set.chess960 = v.number != 0; return nil }},
		{Name: "UCI_LimitStrength", Type: Check,
			Doc: "Plays at the strength of `UCI_Elo`: it searches less deeply and misjudges positions, differently in " +
				"every game.",
			apply: func(s *session, v value) error { s.set.strength.limited = v.number != 0; return s.holdStrength() }},
		{Name: "UCI_Elo", Type: Spin, Default: defaultElo, Min: search.LeastElo, Max: search.MostElo,
			Doc: "The strength that `UCI_LimitStrength` limits to, from 1320 on roughly on the scale of Stockfish 15.1's " +
				"option of this name at 3+0.03. Lower levels are for beginners; random moves are below 100.",
			apply: func(s *session, v value) error { s.set.strength.elo = v.number; return s.holdStrength() }},
		{Name: "Skill Level", Type: Spin, Default: maxSkill, Min: 0, Max: maxSkill,
			Doc: fmt.Sprintf("A simpler scale of strength: 0 is an Elo of %d, each level %d more, and %d is no limit. "+
				"With `UCI_LimitStrength` the Elo counts and this does not.", search.LeastElo, skillStep, maxSkill),
			apply: func(s *session, v value) error { s.set.strength.skill = v.number; return s.holdStrength() }},
		{Name: "UCI_AnalyseMode", Type: Check,
			Doc:   "Says that positions are analysed, not played: searches are at full strength whatever the options above say.",
			apply: func(s *session, v value) error { s.set.strength.analysis = v.number != 0; return s.holdStrength() }},
		{Name: "UCI_ShowWDL", Type: Check,
			Doc: "Adds to each score the win, draw and loss probabilities of the side to move, in thousandths, " +
				"by a model fitted to games of the engine against itself.",
			apply: func(s *session, v value) error { s.set.chances = v.number != 0; return nil }},
		{Name: "EvalFile", Type: String, Text: embeddedNetwork,
			Doc: "Network file to evaluate with instead of the one that is part of the program. " +
				"A name that is not found from the working directory is looked for beside the program.",
			apply: func(s *session, v value) error { return s.setNetwork(v.text) }},
		{Name: "OwnBook", Type: Check,
			Doc:   "Plays a move from `BookFile` if it has the position, chosen at random by weight; never in an analysis.",
			apply: func(s *session, v value) error { s.set.ownBook = v.number != 0; return nil }},
		{Name: "BookFile", Type: String, Text: noFile,
			Doc:   "An opening book in the format of Polyglot, as `tabula games book` writes it.",
			apply: func(s *session, v value) error { return s.setBook(v.text) }},
		{Name: "SyzygyPath", Type: String, Text: noFile,
			Doc: "Directories with Syzygy endgame tables, separated by `;` or `:`. Tables of three pieces are part of " +
				"the program.",
			apply: func(s *session, v value) error { return s.setTables(v.text) }},
		{Name: "SyzygyProbeDepth", Type: Spin, Default: 1, Min: 1, Max: 100,
			Doc: "Least remaining depth at which positions with the largest number of pieces (that of the largest tables, " +
				"or `SyzygyProbeLimit`) are looked up. Positions with fewer pieces are looked up at any depth.",
			apply: func(s *session, v value) error { s.set.tables.Depth = search.Depth(v.number); return nil }},
		{Name: "SyzygyProbeLimit", Type: Spin, Default: syzygy.MaxPieces, Min: 0, Max: syzygy.MaxPieces,
			Doc:   "Largest number of pieces, kings included, of positions to look up; 0 looks nothing up.",
			apply: func(s *session, v value) error { s.set.tables.Pieces = v.number; return nil }},
		{Name: "Syzygy50MoveRule", Type: Check, Default: 1,
			Doc:   "Counts wins that the fifty-move rule takes away as draws.",
			apply: func(s *session, v value) error { s.set.tables.IgnoreRule50 = v.number == 0; return nil }},
		{Name: "Debug Log File", Type: String, Text: noFile,
			Doc:   "File that all lines read (`>>`) and written (`<<`) are appended to, with the time of day.",
			apply: func(s *session, v value) error { return s.out.log.open(v.text) }},
	}, tunables()...)
}

// String returns the option line of the protocol.
func (o Option) String() string {
	text := fmt.Sprintf("option name %s type %s", o.Name, o.Type)
	switch o.Type {
	case Check:
		text += fmt.Sprintf(" default %t", o.Default != 0)
	case Spin:
		text += fmt.Sprintf(" default %d min %d max %d", o.Default, o.Min, o.Max)
	case String:
		text += " default " + o.Text
	}
	return text
}

// findOption returns the option called name, whatever the case of its letters.
func findOption(name string) (Option, bool) {
	for _, o := range Options() {
		if strings.EqualFold(o.Name, name) ||
			slices.ContainsFunc(o.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return o, true
		}
	}
	return Option{}, false
}

// optionNames returns the names of all options.
func optionNames() (names []string) {
	for _, o := range Options() {
		names = append(names, o.Name)
	}
	return names
}

// read reads the text of a value. note is not empty where the value had to be
// brought into range.
func (o Option) read(text string) (v value, note string, err error) {
	switch o.Type {
	case Check:
		switch strings.ToLower(text) {
		case "true":
			return value{number: 1}, "", nil
		case "false":
			return value{}, "", nil
		}
		return value{}, "", fmt.Errorf("want true or false, have %.40q", text)
	case Spin:
		n, note, err := parseNumber(text, int64(o.Min), int64(o.Max))
		return value{number: int(n)}, note, err
	case String:
		if text == noFile {
			text = ""
		}
		return value{text: text}, "", nil
	}
	return value{}, "", nil
}

// setOption handles "setoption name N [value V]"; args follow the first word. A value keeps its spaces.
func (s *session) setOption(args []string) error {
	if len(args) == 0 || args[0] != "name" {
		return exit.WrongUsef("setoption refused: want setoption name NAME [value VALUE]")
	}
	args = args[1:]
	name, text := strings.Join(args, " "), ""
	if i := slices.Index(args, "value"); i >= 0 {
		name, text = strings.Join(args[:i], " "), strings.Join(args[i+1:], " ")
		if s.line != "" {
			text = lastWords(s.line, len(args)-i-1)
		}
	}
	o, ok := findOption(name)
	if !ok {
		return exit.WrongUsef("setoption refused: there is no option %.60q%s", name, exit.DidYouMean(name, optionNames(), ""))
	}
	v, note, err := o.read(text)
	if err != nil {
		return exit.WrongUsef("setoption refused: %s: %w", o.Name, err)
	}
	switch {
	case note != "" && s.strict:
		return exit.WrongUsef("setoption refused: %s %s", o.Name, note)
	case note != "":
		s.out.note("setoption: %s %s, taken as %d", o.Name, note, v.number)
	}
	if err := o.apply(s, v); err != nil {
		return fmt.Errorf("error: %s: %w", o.Name, err)
	}
	return nil
}

// lastWords returns the last n words of a text with the spaces between them.
func lastWords(text string, n int) string {
	text = strings.TrimSpace(text)
	at := len(text)
	for range n {
		at = len(strings.TrimRightFunc(strings.TrimSpace(text[:at]), func(r rune) bool { return !unicode.IsSpace(r) }))
	}
	return text[at:]
}

// parseNumber reads a decimal integer and brings it into [lo, hi]; the note
// says that it was out of range.
func parseNumber(text string, lo, hi int64) (n int64, note string, err error) {
	n, err = strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, "", fmt.Errorf("want a whole number, have %.40q", text)
	}
	// Out of the range of int64, ParseInt returns the nearest bound.
	if c := min(max(n, lo), hi); c != n || err != nil {
		return c, fmt.Sprintf("%.40q is out of range %d to %d", text, lo, hi), nil
	}
	return n, "", nil
}
