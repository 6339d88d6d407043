// Command conformance writes docs/conformance.md, the list of what Tabula
// promises its users and the tests that hold it to that, and the table of
// options in README.md. Its own tests are most of those tests: sessions with
// the built binary, scripted in testdata/script.
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
		Usage:  "write docs/conformance.md and README's table of options, anywhere in the module",
		Writer: out, ErrWriter: errOut,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			return write()
		},
	}
}

// write brings both documents up to date.
func write() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	docs, err := documents(root)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(d.path, []byte(d.text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// document is a file and what it should hold.
type document struct{ path, text string }

// documents returns the files that are made from the module below root.
func documents(root string) ([]document, error) {
	promises, err := collect(root)
	if err != nil {
		return nil, err
	}
	readme := filepath.Join(root, "README.md")
	old, err := os.ReadFile(readme)
	if err != nil {
		return nil, err
	}
	text, err := between(string(old), "<!-- options -->", "<!-- /options -->", uci.OptionTable())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", readme, err)
	}
	return []document{
		{filepath.Join(root, "docs", "conformance.md"), markdown(promises)},
		{readme, text},
	}, nil
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
