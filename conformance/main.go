// Command conformance writes the table of options in docs/uci.md, and with --list
// prints what Tabula promises its users and the tests that check it. Its own
// tests are most of those tests: sessions with the built binary, scripted in
// testdata/script.
//
// A test says which promise it keeps. A script does so in lines such as
//
//	# row 4: stop while idle is silent
//
// and a Go test anywhere in the module in a directive of its doc comment:
//
//	//conformance:38 generating, making and unmaking moves does not allocate
//
// The numbers are those of asks.go, what users of chess engines ask for; several
// tests may keep one promise and one test may keep several.
//
// Run it anywhere in the module: go run ./conformance
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/uci"
)

//go:generate go run .

func main() { tool.Main(newCommand) }

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:   "conformance",
		Usage:  "write the table of options in docs/uci.md, or list the promises and their tests",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "list", Usage: "print the promises and their tests as Markdown"}},
		Writer: out, ErrWriter: errOut,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			root, err := moduleRoot()
			if err != nil {
				return err
			}
			if cmd.Bool("list") {
				return list(out, root)
			}
			d, err := options(root)
			if err != nil {
				return err
			}
			return os.WriteFile(d.path, []byte(d.text), 0o666)
		},
	}
}

// list prints the promises of the tests below root.
func list(out io.Writer, root string) error {
	promises, err := collect(root)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, markdown(promises))
	return err
}

// document is a file and what it should hold.
type document struct{ path, text string }

// options returns docs/uci.md of the module below root with the table of today.
func options(root string) (document, error) {
	path := filepath.Join(root, "docs", "uci.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return document{}, err
	}
	text, err := between(string(old), "<!-- options -->", "<!-- /options -->", uci.OptionTable())
	if err != nil {
		return document{}, fmt.Errorf("%s: %w", path, err)
	}
	return document{path, text}, nil
}

// moduleRoot returns the nearest directory upwards that holds a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod in this directory or above it")
		}
		dir = up
	}
}
