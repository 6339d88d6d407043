package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/count"
	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// divideCommand finds an error in the move generator of another program.
func divideCommand() *cli.Command {
	return &cli.Command{
		Name:  "divide",
		Usage: "find the first wrong move in another program's perft",
		Description: "With --against, compares a divide in Stockfish's format and names the position to divide next.\n" +
			"With --engine, follows the differences to the position with wrong moves. For each illegal move\n" +
			"it names the rule that the move breaks.",
		Flags: []cli.Flag{
			count.FENFlag(),
			depthFlag(4, "depth in `PLIES`"),
			&cli.StringFlag{Name: "against", Usage: "compare with the divide in `FILE`; - means standard input"},
			engineFlag("compare with go perft of"),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			p, err := count.Root(cmd)
			if err != nil {
				return err
			}
			depth, file, engine := cmd.Int("depth"), cmd.String("against"), cmd.String("engine")
			switch {
			case depth < 1 || depth > perft.MaxDepth:
				return exit.WrongUsef("depth: %d is not between 1 and %d", depth, perft.MaxDepth)
			case (file == "") == (engine == ""):
				return exit.WrongUsef("divide: want one of --against and --engine")
			}
			d := divider{options: perft.Options{Threads: runtime.NumCPU()}, out: cmd.Root().Writer}
			if file != "" {
				return d.againstFile(ctx, p, depth, file)
			}
			e, err := generator.StartEngine(ctx, engine)
			if err != nil {
				return err
			}
			defer e.Close()
			return d.againstEngine(ctx, p, depth, e)
		},
	}
}

// divider compares divides.
type divider struct {
	options perft.Options
	out     io.Writer
}

// totalLine is the line of a divide with the sum.
var totalLine = regexp.MustCompile(`(?m)^Nodes searched: *([0-9]+)[ \r]*$`)

// againstFile compares the divide in a file.
func (d *divider) againstFile(ctx context.Context, p *chess.Position, depth int, name string) error {
	read := func() ([]byte, error) { return os.ReadFile(name) }
	if name == "-" {
		command.Awaits(os.Stdin, os.Stderr, "divide reads standard input until Ctrl-D")
		read = func() ([]byte, error) { return io.ReadAll(os.Stdin) }
	}
	text, err := read()
	if err != nil {
		return exit.WrongUse(err)
	}
	theirs, err := perft.ReadDivide(p, string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	total := ""
	if m := totalLine.FindSubmatch(text); m != nil {
		total = string(m[1])
	}
	found, err := d.compare(ctx, p, depth, theirs, total)
	if err != nil || len(found) == 0 {
		return err
	}
	if deeper := found[0]; deeper.Legal && deeper.Listed && depth > 1 {
		p.Make(deeper.Move)
		fmt.Fprintf(d.out, "next, after %s: --fen \"%s\" --depth %d\n", deeper.Text, p.FEN(), depth-1)
	}
	return errors.New(plural.Do(len(found), "move", "differs", "differ"))
}

// againstEngine follows the differences to the first position whose moves differ.
func (d *divider) againstEngine(ctx context.Context, p *chess.Position, depth int, e *generator.External) error {
	root, line := p.Clone(), []chess.Move(nil)
	for ; ; depth-- {
		theirs, err := e.Divide(p, depth)
		if err != nil {
			return err
		}
		for _, t := range theirs {
			if p.IsLegal(t.Move) && t.Text != p.UCI(t.Move) {
				return fmt.Errorf("engine %s writes %s instead of %s in %s", e.Command, t.Text, p.UCI(t.Move), p.FEN())
			}
		}
		found, err := d.compare(ctx, p, depth, theirs, e.Total)
		switch {
		case err != nil:
			return err
		case len(found) == 0 && line == nil:
			return nil
		case len(found) == 0:
			return fmt.Errorf("engine %s counts this position correctly on its own but not after %s",
				e.Command, sanOf(root, line))
		case !found[0].Legal || !found[0].Listed || depth == 1:
			return fmt.Errorf("engine %s is wrong in %s", e.Command, p.FEN())
		}
		line = append(line, found[0].Move)
		p.Make(found[0].Move)
		fmt.Fprintf(d.out, "\nafter %s:\n", sanOf(root, line))
	}
}

// sanOf returns a line of legal moves from p in SAN.
func sanOf(p *chess.Position, line []chess.Move) string {
	text, _ := p.SANLine(line)
	return text
}

// compare counts p and prints the differences. That the moves are right and the total, as their program
// says it, is not, is an error; "" is none.
func (d *divider) compare(
	ctx context.Context, p *chess.Position, depth int, theirs []perft.DivideLine, total string,
) ([]perft.Difference, error) {
	right, err := perft.Divide(ctx, p, depth, d.options)
	if err != nil {
		return nil, err
	}
	var want, got uint64
	for _, b := range right {
		want += b.Nodes
	}
	for _, c := range theirs {
		got += c.Nodes
	}
	found := perft.Compare(p, right, theirs)
	fmt.Fprintf(d.out, "%s\ndepth %d: %s and %s", p.FEN(), depth, plural.Of(len(theirs), "move"), plural.Of(got, "node"))
	if said, err := strconv.ParseUint(total, 10, 64); len(found) == 0 && err == nil && said != want {
		fmt.Fprintln(d.out)
		return nil, fmt.Errorf("the moves are right, but the total says %s, want %d", plural.Of(said, "node"), want)
	} else if len(found) == 0 {
		fmt.Fprintln(d.out, ", correct")
	} else {
		fmt.Fprintf(d.out, ", want %d and %d\n", len(right), want)
	}
	for _, f := range found {
		fmt.Fprintln(d.out, f)
	}
	return found, nil
}
