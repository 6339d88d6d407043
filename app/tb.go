//go:build !js

package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/syzygy"
)

// maxLine is the maximum length of a best line in plies. No known ending of seven pieces takes longer
// to a capture, pawn move or mate.
const maxLine = 2000

// lookup is one run of the command.
type lookup struct {
	tables *syzygy.Tables
	line   bool
	errOut io.Writer
	out    *bufio.Writer // which remembers its errors
	failed int
	absent bool    // at least one failed because a table is missing
	short  int     // looked up without the line that --line asks for
	faults []error // of files that the position needed
	faulty bool    // a position was looked up without one that is damaged
}

// tbCommand returns the command that looks up positions in endgame tables. Without arguments it reads positions from
// in. If a position cannot be looked up, its line is "FEN ; error REASON"; the command returns an error with their
// number.
func tbCommand(in io.Reader) *cli.Command {
	return &cli.Command{
		Name: "tb", Usage: "look up positions in endgame tables", ArgsUsage: "[FEN …]",
		Description: `Prints one line per position: FEN ; wdl W ; dtz D. W is 2 for a win, 1 for a win that the fifty-move rule makes a
draw with the counter of the FEN, 1? where the tables cannot tell whether it does, 0 for a draw, and -1, -1? and -2 for
losses likewise. D is the number of plies to the next capture, pawn move or mate; tables may round it down by one. It is
- where the WDL table is there and a DTZ table is missing or damaged.

Without arguments, positions are read from standard input, one per line, as FEN or EPD. Text after a
semicolon is ignored. Impossible castling rights and en-passant squares are dropped, with a warning. If a FEN has only
the board, "w - - 0 1" is assumed. Tables for three pieces are built in.`,
		Flags: []cli.Flag{
			annotate.TablesFlag(),
			&cli.BoolFlag{Name: "line", Usage: "print the quickest line to mate, or the first move that holds a draw"},
			&cli.BoolFlag{Name: "verify", Usage: "verify the checksums of all files instead"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Bool("verify") && (cmd.NArg() > 0 || cmd.Bool("line")) {
				return exit.WrongUsef("--verify looks nothing up: want it without positions and without --line")
			}
			tables, err := openTables(cmd)
			if err != nil {
				return err
			}
			root := cmd.Root()
			l := &lookup{
				tables: tables, line: cmd.Bool("line"), errOut: root.ErrWriter, out: bufio.NewWriter(root.Writer),
			}
			tables.Watch(func(err error) { l.faults = append(l.faults, err) })
			done := make(chan error, 1)
			go func() {
				if cmd.Bool("verify") {
					done <- l.verify()
					return
				}
				if cmd.NArg() == 0 {
					command.Awaits(in, cmd.Root().ErrWriter, "tb reads FENs, one per line, until Ctrl-D")
				}
				done <- l.positions(joinFENs(cmd.Args().Slice()), in)
			}()
			select {
			case err = <-done:
				return errors.Join(err, l.out.Flush(), tables.Close())
			case <-ctx.Done(): // a read that waits is left behind
				return ctx.Err()
			}
		},
	}
}

// verify verifies the checksums of all files.
func (c *lookup) verify() error {
	if err := c.tables.Verify(); err != nil {
		return err
	}
	wdl, dtz := c.tables.Found()
	fmt.Fprintf(c.out, "%d WDL and %d DTZ files are intact\n", wdl, dtz)
	return nil
}

// joinFENs joins arguments into FENs. They need not be quoted: a second word with a slash begins another FEN.
func joinFENs(args []string) []string {
	var fens []string
	for _, word := range strings.Fields(strings.Join(args, " ")) {
		if len(fens) == 0 || strings.Contains(word, "/") && strings.Contains(fens[len(fens)-1], "/") {
			fens = append(fens, word)
		} else {
			fens[len(fens)-1] += " " + word
		}
	}
	return fens
}

// positions looks up fens, or the lines of in if there are none.
func (c *lookup) positions(fens []string, in io.Reader) error {
	for _, fen := range fens {
		c.answer(fen)
	}
	if len(fens) == 0 {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff")) // a byte order mark
			if line == "" || line[0] == '#' || line[0] == ';' {
				continue
			}
			if c.answer(line) != nil { // Flush says so too; the lines may never end
				return nil
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	switch {
	case c.absent:
		return fmt.Errorf("tb: %s could not be looked up; give directories with tables by --syzygy",
			plural.Of(c.failed, "position"))
	case c.failed > 0:
		return fmt.Errorf("tb: %s could not be looked up", plural.Of(c.failed, "position"))
	case c.faulty:
		return errors.New("tb: not all tables could be read")
	case c.short > 0:
		return fmt.Errorf("tb: %s without a line, which needs DTZ tables (.rtbz)", plural.Of(c.short, "position"))
	}
	return nil
}

// answer prints the line for a position.
func (c *lookup) answer(line string) error {
	position, p, warning, err := readPosition(line)
	if warning != nil {
		command.Warn(c.errOut)(warning)
	}
	var text string
	if err == nil {
		text, err = c.look(p)
	}
	if err != nil {
		c.failed++
		c.absent = c.absent || errors.Is(err, syzygy.ErrMissing)
		text = "error " + err.Error()
	}
	for _, fault := range c.faults {
		if err == nil || !errors.Is(err, fault) { // which the line tells
			command.Warn(c.errOut)(fault)
			c.faulty = true
		}
	}
	c.faults = nil
	fmt.Fprintf(c.out, "%s ; %s\n", position, text)
	return c.out.Flush() // a program may wait for it
}

// readPosition reads a position as chess.ReadPosition does. It also returns the FEN: that of the line, perhaps before a
// semicolon, where it says the same.
func readPosition(line string) (fen string, p *chess.Position, warning, err error) {
	fen, _, _ = strings.Cut(line, ";")
	fen = strings.TrimSpace(fen)
	p, warning, err = chess.ReadPosition(line)
	if err != nil {
		return fen, nil, nil, err
	}
	if errors.As(warning, new(*chess.EPDError)) { // text behind a semicolon
		warning = nil
	}
	if q, wrong := chess.ParseFEN(fen); wrong != nil || q.FEN() != p.FEN() {
		fen = p.FEN()
	}
	return fen, p, warning, nil
}

// look returns the text of the tables' result for a position.
func (c *lookup) look(p *chess.Position) (string, error) {
	wdl, maybe, err := c.tables.AtClock(p)
	if err != nil {
		return "", err
	}
	text, distance := fmt.Sprintf("wdl %d", wdl), "-"
	if maybe {
		text += "?"
	}
	if dtz, err := c.tables.DTZ(p); err == nil {
		distance = strconv.Itoa(int(dtz))
	}
	text += " ; dtz " + distance
	if !c.line {
		return text, nil
	}
	line, err := bestLine(c.tables, p, wdl)
	if err != nil { // of a table: Watch tells what is wrong with it
		c.short++
		line = " -"
	}
	return text + " ; line" + line, nil
}

// bestLine plays the highest-ranked moves to the end of the game, or only the first one if the position is drawn
// without the fifty-move rule. It returns them in UCI notation, each after a space. Without DTZ tables, the error is
// syzygy.ErrMissing.
func bestLine(tables *syzygy.Tables, p *chess.Position, wdl syzygy.WDL) (string, error) {
	var b strings.Builder
	p = p.Clone()
	beyond := wdl == syzygy.CursedWin || wdl == syzygy.BlessedLoss
	for range maxLine {
		moves, exact, err := tables.Root(p, beyond)
		if err == nil && !exact {
			err = syzygy.ErrMissing
		}
		if err != nil {
			return "", err
		}
		if len(moves) == 0 {
			break
		}
		b.WriteString(" " + p.UCI(moves[0].Move))
		p.Make(moves[0].Move)
		if wdl == syzygy.Draw || p.Outcome().Over() {
			break
		}
	}
	return b.String(), nil
}
