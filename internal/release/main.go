// Command release builds the engine for every system and packs each binary with
// README, licence and the notices of all that it links and of the packages in its
// page, as .tar.gz or, for Windows, .zip. Each archive also holds what it was built
// from: BUILDINFO.txt, as "go version -m" prints it, and a CycloneDX SBOM. Beside the
// archives lie SHA256SUMS and the packages that name them: see packages.go.
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
	"github.com/tabula-chess/tabula/internal/version"
)

func main() { command.Main(newCommand) }

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "release",
		Usage: "build the engine for every system and pack it with its notices",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Value: "dist", Usage: "`DIRECTORY` to write to; archives of the same name are replaced"},
			&cli.StringSliceFlag{Name: "target", Usage: "build only `SYSTEM/PROCESSOR`, for example linux/amd64-v3, and no packages; may be repeated"},
		},
		Writer: out, ErrWriter: errOut,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			chosen, err := choose(cmd.StringSlice("target"))
			if err != nil {
				return err
			}
			commit, err := commitOf(ctx)
			if err != nil {
				return err
			}
			return makeAll(ctx, commit, cmd.String("out"), chosen, target.build, out)
		},
	}
}

// commitOf returns the first twelve digits of the commit, which is stamped into the binaries, with a plus
// sign where files have changed, or "" where git knows of none.
func commitOf(ctx context.Context) (string, error) {
	id, err := run(ctx, nil, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "", nil
	}
	changed, err := run(ctx, nil, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(id))
	if len(changed) > 0 {
		commit += "+"
	}
	return commit, nil
}

// builder builds a binary for a target from a commit.
type builder func(t target, ctx context.Context, commit string) ([]byte, error)

// makeAll builds and packs for the targets and writes the checksums, and the packages
// where all targets are built.
func makeAll(ctx context.Context, commit, dir string, chosen []target, build builder, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	made := release{Version: version.Number, Archives: map[string]archive{}}
	for _, t := range chosen {
		name := fmt.Sprintf("tabula-%s-%s", version.Number, t.name())
		binary, err := build(t, ctx, commit)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files, err := contents(ctx, t, binary)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		packedAs, pack := name+".tar.gz", packTar
		if t.system == "windows" {
			packedAs, pack = name+".zip", packZip
		}
		sum, err := write(filepath.Join(dir, packedAs), name, files, pack)
		if err != nil {
			return err
		}
		made.Archives[t.name()] = archive{Name: packedAs, Folder: name, SHA256: fmt.Sprintf("%x", sum)}
		fmt.Fprintf(&sums, "%x  %s\n", sum, packedAs)
		if _, err := fmt.Fprintf(out, "%s: %s has %.1f MB\n", packedAs, t.program(), float64(len(binary))/1e6); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	if len(chosen) < len(targets()) {
		return nil
	}
	return made.writePackages(filepath.Join(dir, "packages"))
}

// contents returns the files of an archive, the binary among them.
func contents(ctx context.Context, t target, binary []byte) ([]packed, error) {
	notices, err := thirdParty(ctx, binary)
	if err != nil {
		return nil, err
	}
	info, bom, err := materials(t, binary)
	if err != nil {
		return nil, err
	}
	files := []packed{
		{t.program(), binary, true}, {"THIRD-PARTY-NOTICES.txt", notices, false},
		{"BUILDINFO.txt", info, false}, {"sbom.cdx.json", bom, false},
	}
	for _, name := range []string{"README.md", "LICENSE"} {
		text, err := os.ReadFile(name)
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
