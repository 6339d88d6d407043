// Package tb is the command "tabula tb": it looks positions up in endgame
// tables.
package tb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/syzygy"
)

// maxLine bounds the plies of a best line: no ending of seven men known takes
// longer to a capture, pawn move or mate, and most lines end far sooner.
const maxLine = 2000

// lookup is a run of the command.
type lookup struct {
	tables *syzygy.Tables
	line   bool
	out    *bufio.Writer
	failed int
	absent bool // one of them for want of a table
}

// Command returns the command, which reads positions from in where it gets none as
// arguments. Positions that cannot be looked up are answered with "FEN ; error REASON",
// and the error of the command says how many there were.
func Command(in io.Reader) *cli.Command {
	return &cli.Command{
		Name: "tb", Usage: "look positions up in endgame tables", ArgsUsage: "[FEN …]",
		Description: `Prints a line for each position: FEN ; wdl W ; dtz D. W is -2 for a loss, -1 for a loss that the fifty-move rule
makes a draw, 0, 1 and 2 likewise. D is the number of plies to the next capture, pawn move or mate. Without a FEN,
positions are read from standard input, one a line. Text behind a semicolon is ignored. A board without the other
fields of a FEN is completed with "w - - 0 1". Tables of three men are part of the program.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "syzygy", Usage: "`DIRECTORIES` of endgame tables, between them ; or :"},
			&cli.BoolFlag{Name: "line", Usage: "print the quickest line to mate, or the first move that holds a draw"},
			&cli.BoolFlag{Name: "verify", Usage: "compare the checksums of all files instead of looking anything up"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			tables, err := syzygy.Open(syzygy.SplitPath(cmd.String("syzygy"))...)
			if err != nil {
				return errors.Join(exit.WrongUsef("--syzygy: %w", err), tables.Close())
			}
			l := &lookup{tables: tables, line: cmd.Bool("line"), out: bufio.NewWriter(cmd.Root().Writer)}
			if cmd.Bool("verify") {
				err = l.verify()
			} else {
				if cmd.NArg() == 0 {
					command.Awaits(in, cmd.Root().ErrWriter, "tb reads FENs, one a line, until Ctrl-D")
				}
				err = l.positions(joinFENs(cmd.Args().Slice()), in)
			}
			return errors.Join(err, l.out.Flush(), tables.Close())
		},
	}
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
	switch {
	case c.absent:
		return fmt.Errorf("tb: %d positions could not be looked up; --syzygy names directories with tables", c.failed)
	case c.failed > 0:
		return fmt.Errorf("tb: %d positions could not be looked up", c.failed)
	}
	return nil
}

// answer prints the line of a position.
func (c *lookup) answer(position string) error {
	position, _ = chess.CompleteFEN(position)
	text, err := c.look(position)
	if err != nil {
		c.failed++
		c.absent = c.absent || errors.Is(err, syzygy.ErrMissing)
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
