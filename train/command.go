package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/tune"
)

// New returns the command line.
func New(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "train",
		Usage:     "make training games, fit networks to them and test the networks",
		Writer:    out,
		ErrWriter: errOut,
		Commands: []*cli.Command{
			datagenCommand(), inspectCommand(), mergeCommand(), exportCommand(),
			fitCommand(), networkCommand(), rescaleCommand(), labelCommand(), judgeCommand(),
			match.Command().Local(), tune.Command().Local(), paramsCommand(), wdlCommand(), tablesCommand(), rebuildCommand(),
		},
	}
}

// Flags that several commands share.

// replaced is the usage of --out in commands that do not append.
const replaced = "`FILE` to write; it is replaced"

func outFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Usage: usage}
}

func threadsFlag(usage string) cli.Flag {
	return &cli.IntFlag{Name: "threads", Value: runtime.GOMAXPROCS(0), Usage: usage, Validator: command.AtLeast(1)}
}

func networkFlag(purpose string) cli.Flag {
	return &cli.StringFlag{Name: "network", Value: match.Embedded, Usage: "network `FILE` " + purpose}
}

func tablesFlag(purpose string) cli.Flag {
	return &cli.StringFlag{Name: "tables", Usage: purpose + " from the Syzygy tables in `DIR`"}
}

// namedNetwork loads the network in file name, or returns the embedded one.
func namedNetwork(name string) (*nnue.Network, error) {
	if name == match.Embedded {
		return nnue.Embedded(), nil
	}
	return nnue.Load(name)
}

// chosenTables opens the tables of --tables. It returns nil without that flag. The tables stay open until the
// program ends.
func chosenTables(cmd *cli.Command) (*syzygy.Tables, error) {
	path := cmd.String("tables")
	if path == "" {
		return nil, nil
	}
	tables, err := syzygy.Open(syzygy.SplitPath(path)...)
	tables.Watch(warn(cmd.Root().ErrWriter))
	return tables, err
}

// warn returns a function that writes warnings, as of a damaged table.
func warn(out io.Writer) func(error) {
	return func(err error) { fmt.Fprintln(out, "warning:", err) }
}

// fileNames returns the arguments: at least one file.
func fileNames(cmd *cli.Command) ([]string, error) {
	if cmd.NArg() == 0 {
		return nil, exit.WrongUsef("%s: want at least one file", cmd.Name)
	}
	return cmd.Args().Slice(), nil
}

// progress returns a bar for n steps on the command's ErrWriter.
func progress(cmd *cli.Command, n int64, name string) *command.Bar {
	return command.NewBar(cmd.Root().ErrWriter, n, name)
}

// commandLine returns a train command for a network's provenance. File names lose their folders, which mean
// nothing on another machine.
func commandLine(args []string) string {
	line := "train"
	for _, arg := range args {
		flag := arg[:strings.IndexByte(arg, '=')+1] // "--data=", or nothing
		if value := arg[len(flag):]; strings.ContainsRune(value, filepath.Separator) {
			arg = flag + filepath.Base(value)
		}
		line += " " + arg
	}
	return line
}
