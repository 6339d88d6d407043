// Package tb is the command "tabula tb": it looks positions up in endgame
// tables.
package tb

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/flags"
	"github.com/tabula-chess/tabula/syzygy"
)

// maxLine bounds the plies of a best line: no ending of seven men known takes
// longer to a capture, pawn move or mate, and most lines end far sooner.
const maxLine = 2000

// help is the first part of what --help prints.
const help = `tabula tb --path DIR [flags] [FEN...]: look positions up in Syzygy endgame tables

Prints a line for each position: FEN ; wdl W ; dtz D. W is -2 for a loss, -1
for a loss that the fifty-move rule makes a draw, 0, 1 and 2 likewise; D is the
number of plies to the next capture or pawn move, or mate. Without a FEN,
positions are read from standard input, one a line; what follows a semicolon is
ignored; behind a board alone w - - 0 1 is assumed. Tables of three men are part of the program.

`

// lookup is what the arguments ask for.
type lookup struct {
	tables *syzygy.Tables
	line   bool
	out    *bufio.Writer
	failed int
}

// Run obeys the arguments after "tb". Positions that cannot be looked up are
// answered with "FEN ; error REASON", and the error says how many there were.
// Errors carry the exit codes of internal/command.
func Run(args []string, in io.Reader, out io.Writer) error {
	f := flag.NewFlagSet("tabula tb", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	path := f.String("path", "", "`directories` of tables, between them ; or :")
	line := f.Bool("line", false, "print the quickest line to mate, or the first move that holds a draw")
	verify := f.Bool("verify", false, "compare the checksums of all files instead of looking anything up")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(out, help+flags.Help(f))
		return err
	case err != nil:
		return command.WrongUsef("tb: %w", err)
	}
	tables, err := syzygy.Open(syzygy.SplitPath(*path)...)
	if err != nil {
		return errors.Join(command.WrongUsef("--path: %w", err), tables.Close())
	}
	c := &lookup{tables: tables, line: *line, out: bufio.NewWriter(out)}
	if *verify {
		err = c.verify()
	} else {
		err = c.positions(joinFENs(f.Args()), in)
	}
	return errors.Join(err, c.out.Flush(), tables.Close())
}

// verify compares checksums.
func (c *lookup) verify() error {
	if err := c.tables.Verify(); err != nil {
		return err
	}
	wdl, dtz := c.tables.Found()
	_, err := fmt.Fprintf(c.out, "%d WDL and %d DTZ files are whole\n", wdl, dtz)
	return err
}

// joinFENs makes FENs of arguments, which need not be quoted: a word with a
// slash begins one.
func joinFENs(args []string) []string {
	var fens []string
	for _, word := range strings.Fields(strings.Join(args, " ")) {
		if len(fens) == 0 || strings.Contains(word, "/") {
			fens = append(fens, word)
		} else {
			fens[len(fens)-1] += " " + word
		}
	}
	return fens
}

// positions answers for fens, or for the lines of in where there are none.
func (c *lookup) positions(fens []string, in io.Reader) error {
	for _, fen := range fens {
		if err := c.answer(fen); err != nil {
			return err
		}
	}
	if len(fens) == 0 {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			fen, _, _ := strings.Cut(lines.Text(), ";")
			if fen = strings.TrimSpace(fen); fen == "" || fen[0] == '#' {
				continue
			}
			if err := c.answer(fen); err != nil {
				return err
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	if c.failed > 0 {
		return fmt.Errorf("tb: %d positions could not be looked up", c.failed)
	}
	return nil
}

// answer prints the line of a position.
func (c *lookup) answer(position string) error {
	position, _ = command.CompleteFEN(position)
	text, err := c.look(position)
	if err != nil {
		c.failed++
		text = "error " + err.Error()
	}
	_, err = fmt.Fprintf(c.out, "%s ; %s\n", position, text)
	return err
}

// look returns what the tables say of a position.
func (c *lookup) look(fen string) (string, error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return "", err
	}
	wdl, err := c.tables.WDL(p)
	if err != nil {
		return "", err
	}
	dtz, err := c.tables.DTZ(p)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("wdl %d ; dtz %d", wdl, dtz)
	if c.line {
		line, err := bestLine(c.tables, p, wdl)
		if err != nil {
			return "", err
		}
		text += " ; line" + line
	}
	return text, nil
}

// bestLine plays the moves of the highest rank to the end of the game, or the
// first alone where that is a draw, and returns them in UCI text, each with a
// space before it.
func bestLine(tables *syzygy.Tables, p *chess.Position, wdl int) (string, error) {
	var b strings.Builder
	p = p.Clone()
	for range maxLine {
		moves, _, err := tables.Root(p, syzygy.Ranking{Fastest: true})
		if err != nil {
			return "", err
		}
		if len(moves) == 0 {
			break
		}
		best := moves[0]
		for _, m := range moves {
			if m.Rank > best.Rank {
				best = m
			}
		}
		b.WriteString(" " + p.UCI(best.Move))
		p.Make(best.Move)
		if wdl == syzygy.Draw || p.Outcome().Over() {
			break
		}
	}
	return b.String(), nil
}
