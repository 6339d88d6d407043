package main

import (
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/train/datagen"
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
			datagen.Command().Local(), inspectCommand(), mergeCommand(), exportCommand(),
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

// namedNetwork loads the network in file name, or returns the embedded one.
func namedNetwork(name string) (*nnue.Network, error) {
	if name == match.Embedded {
		return nnue.Embedded(), nil
	}
	return nnue.Load(name)
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
