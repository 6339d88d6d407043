package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
)

// Target is a position to analyse, with its history for repetitions.
type Target struct {
	Position *chess.Position
	Name     string // the source; "" for a position from the command line
	Err      error  // why a line of a file holds no position
	Warning  error  // what was assumed, dropped, or not understood in its game
}

// Moment selects a position of a PGN file.
type Moment struct {
	Game int    // from 1
	Move string // selects the position before a move, "12", or "12..." for Black's; "" for the last
}

// Targets reads the positions to analyse from the words of a command line: nothing for the start
// position; "startpos", a FEN or nothing, followed by moves in SAN or UCI notation; or names of PGN
// and EPD files. An unreadable line of an EPD file becomes a target with an error. Errors: other
// words, with a hint, by exit.WrongUse; unreadable files, with file and game.
func Targets(args []string, at Moment) ([]Target, error) {
	words := strings.Fields(strings.Join(args, " "))
	if len(words) == 0 {
		return []Target{{Position: chess.NewPosition()}}, nil
	}
	if isFile(args[0]) {
		var all []Target
		for _, name := range args {
			targets, err := fileTargets(name, at)
			if err != nil {
				return nil, err
			}
			all = append(all, targets...)
		}
		return all, nil
	}
	if at != (Moment{Game: 1}) {
		return nil, exit.WrongUsef("--game and --move work only with PGN files")
	}
	p, warning, err := Setup(words)
	return []Target{{Position: p, Warning: warning}}, err
}

// Setup reads a position from the words of a command line: nothing for the start position, moves from there, or what
// [chess.ReadPosition] reads; warning is its. Errors are usage errors with a hint.
func Setup(words []string) (p *chess.Position, warning, err error) {
	if len(words) == 0 {
		return chess.NewPosition(), nil, nil
	}
	first, text := words[0], strings.Join(words, " ")
	if beginsMoves(words) {
		text = "startpos " + text
	}
	p, warning, err = chess.ReadPosition(text)
	if _, ok := errors.AsType[*chess.MoveError](err); ok && !errors.Is(err, chess.ErrIllegal) {
		err = fmt.Errorf("%w; flags begin with two dashes", err)
	}
	wrong, ok := errors.AsType[*chess.FENError](err)
	if ok && wrong.Field == "placement" && strings.Count(first, "/") < 7 && first != "fen" {
		err = unknownWord(first)
	}
	return p, warning, exit.WrongUse(err)
}

// beginsMoves reports whether words are moves from the start position, legal or not, perhaps with a number first.
func beginsMoves(words []string) bool {
	text := strings.Join(words[:min(2, len(words))], " ")
	for _, text := range []string{words[0], text} {
		if _, err := chess.NewPosition().ReadMove(text); err == nil || errors.Is(err, chess.ErrIllegal) {
			return true
		}
	}
	return false
}

// isFile reports whether a word names a file: the file exists or the extension is right.
func isFile(word string) bool {
	switch strings.ToLower(filepath.Ext(word)) {
	case ".pgn", ".epd":
		return !strings.Contains(word, " ")
	}
	info, err := os.Stat(word)
	return err == nil && !info.IsDir()
}

// unknownWord returns the error for a word that is not a position, with a hint.
func unknownWord(word string) error {
	hint := "want a FEN, startpos or moves; analyse also reads .pgn and .epd files"
	info, err := os.Stat(word)
	switch lower := strings.ToLower(word); {
	case err == nil && info.IsDir():
		hint = "it is a directory; " + hint
	case err == nil:
		hint = "it is a file; " + hint
	case strings.HasPrefix(lower, "start") || strings.HasPrefix(lower, "init") || strings.HasPrefix("startpos", lower) ||
		exit.Near(lower, []string{"startpos"}) != "":
		hint = `did you mean startpos?`
	case strings.Contains(word, "/"):
		hint = fmt.Sprintf("a FEN has eight ranks and seven slashes, this has %d, and there is no file of that name",
			strings.Count(word, "/"))
	case strings.Contains(word, "."):
		hint = "there is no file of that name"
	default:
		flags := []string{"--depth", "--nodes", "--seconds", "--multipv"}
		if near := exit.Near("--"+strings.TrimRight(lower, "=0123456789"), flags); near != "" {
			hint = "did you mean " + near + "?"
		} else if len(word) < 3 && strings.ContainsAny(word, "0123456789") { // "e9"
			hint = word + " is no square; " + hint
		}
	}
	return fmt.Errorf("position %.60q: %s", word, hint)
}

// fileTargets reads the positions of a file.
func fileTargets(name string, at Moment) ([]Target, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isPGN(name, f) {
		return pgnTarget(name, f, at)
	}
	if at != (Moment{Game: 1}) {
		return nil, exit.WrongUsef("--game and --move work only with PGN files")
	}
	return epdTargets(name, f)
}

// isPGN reports whether a file is a PGN file, by its extension or its first bytes. It leaves the
// file at its beginning.
func isPGN(name string, f io.ReadSeeker) bool {
	switch name := strings.ToLower(filepath.Base(name)); {
	case strings.Contains(name, ".pgn"): // games.pgn.gz too, of which the reader says that it is packed
		return true
	case strings.HasSuffix(name, ".epd"):
		return false
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	_, err := f.Seek(0, io.SeekStart)
	text := strings.TrimLeft(strings.TrimPrefix(string(head[:n]), "\xef\xbb\xbf"), " \r\n\t")
	return err == nil && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "1."))
}

// pgnTarget finds a position of a game.
func pgnTarget(name string, src io.Reader, at Moment) ([]Target, error) {
	games := 0
	for g, err := range pgn.NewReader(src).Games() {
		if games++; games < at.Game && (err == nil || errors.As(err, new(*pgn.Error))) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p, err := moment(g, at.Move)
		if err != nil && g.Shortened {
			err = fmt.Errorf("%w; %s", err, g.Warning.Reason)
		}
		if err != nil {
			return nil, exit.WrongUsef("%s: game %d: %w", name, games, err)
		}
		if p.CanTakeKing() {
			return nil, exit.WrongUsef("%s: game %d: the position after a null move in check cannot be analysed", name, games)
		}
		t := Target{Position: p, Name: fmt.Sprintf("%s, game %d: %s – %s", name, games, g.Tag("White"), g.Tag("Black"))}
		if g.Warning != nil {
			t.Warning = fmt.Errorf("%s: %w", name, g.Warning)
		}
		return []Target{t}, nil
	}
	return nil, exit.WrongUsef("%s has %s, not %d", name, plural.Of(games, "game"), at.Game)
}

// moment returns the position before a move of a game, or the last position for "".
func moment(g *pgn.Game, move string) (*chess.Position, error) {
	p := g.Position()
	digits := strings.TrimRight(move, ".")
	number, err := strconv.Atoi(digits)
	if move != "" && (err != nil || number < 1 || len(move)-len(digits) > 3) {
		return nil, fmt.Errorf("--move %.20q, want a move number such as 12, or 12... for Black's move", move)
	}
	side := chess.White
	if len(move)-len(digits) > 1 {
		side = chess.Black
	}
	there := func() bool { return move != "" && p.FullmoveNumber() == number && p.SideToMove() == side }
	for i := range g.Main.Moves {
		if there() {
			return p, nil
		}
		g.Main.Moves[i].Play(p)
	}
	if move != "" && !there() {
		return nil, fmt.Errorf("there is no move %s", move)
	}
	return p, nil
}

// epdTargets reads the positions of an EPD file, one per line.
func epdTargets(name string, src io.Reader) ([]Target, error) {
	var targets []Target
	for e, err := range chess.EPDs(src) {
		if err != nil {
			targets = append(targets, Target{Err: fmt.Errorf("%s: %w", name, err)})
			continue
		}
		t := Target{Position: e.Position, Name: fmt.Sprintf("%s, line %d", name, e.Line)}
		if e.Warning != nil {
			t.Warning = fmt.Errorf("%s: line %d: %w", name, e.Line, e.Warning)
		}
		if id, _ := e.Operands("id"); len(id) > 0 {
			t.Name += ": " + id[0]
		}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("%s holds no position", name)
	}
	return targets, nil
}
