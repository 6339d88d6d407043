// Command release builds the engine for every system and packs each binary with
// README, licence and the notices of all that it links and of the packages in its
// page, as .tar.gz or, for Windows, .zip, with SHA256SUMS beside them.
//
//	go run ./internal/release --out dist        make release
//
// The same commit gives the same bytes wherever it is built: builds are static
// and without paths, archives hold no times, owners or orders of their own.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

func main() { tool.Main(newCommand) }

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "release",
		Usage: "build the engine for every system and pack it with its notices",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Value: "dist", Usage: "`DIRECTORY` to write to; archives of the same name are replaced"},
			&cli.StringFlag{Name: "root", Value: ".", Usage: "the module's `DIRECTORY`"},
			&cli.BoolFlag{Name: "page", Value: true, Usage: "with the page, which make web has built"},
			&cli.StringSliceFlag{Name: "target", Usage: "only `SYSTEM/PROCESSOR`, as in linux/amd64; may be given several times"},
		},
		Writer: out, ErrWriter: errOut,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			chosen, err := choose(cmd.StringSlice("target"))
			if err != nil {
				return err
			}
			return makeAll(ctx, source{cmd.String("root"), cmd.Bool("page")}, cmd.String("out"), chosen, out)
		},
	}
}

// source is what is released: the module's directory, and whether with the page.
type source struct {
	root string
	page bool
}

// makeAll builds and packs for the targets and writes the checksums.
func makeAll(ctx context.Context, from source, dir string, targets []target, out io.Writer) error {
	if _, err := from.pageNotices(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range targets {
		name := fmt.Sprintf("tabula-%s-%s-%s", command.Version, t.system, t.processor)
		binary, err := t.build(ctx, from)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files, err := contents(ctx, from, t, binary)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		archive, pack := name+".tar.gz", packTar
		if t.system == "windows" {
			archive, pack = name+".zip", packZip
		}
		sum, err := write(filepath.Join(dir, archive), name, files, pack)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, archive)
		if _, err := fmt.Fprintf(out, "%s: %s has %.1f MB\n", archive, t.program(), float64(len(binary))/1e6); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// contents returns the files of an archive, the binary among them.
func contents(ctx context.Context, from source, t target, binary []byte) ([]packed, error) {
	notices, err := thirdParty(ctx, from, binary)
	if err != nil {
		return nil, err
	}
	files := []packed{{t.program(), binary, true}, {"THIRD-PARTY-NOTICES.txt", notices, false}}
	for _, name := range []string{"README.md", "LICENSE"} {
		text, err := os.ReadFile(filepath.Join(from.root, name))
		if err != nil {
			return nil, err
		}
		if name == "README.md" {
			text = absolute(text, []string{"README.md", "LICENSE", "THIRD-PARTY-NOTICES.txt"})
		}
		files = append(files, packed{name, text, false})
	}
	return files, nil
}
