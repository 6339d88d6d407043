// Command mutate breaks a package in small ways, one at a time, and reports
// which breaks the package's own short tests do not notice:
//
//	go run ./internal/mutate --sample 20 --seed 1 ./movegen
//
// A mutant swaps an operator, drops an operand or a statement, negates a
// condition or changes a number. The sources stay as they are: the compiler
// reads the changed file through an overlay. The exit code is 1 when a mutant
// survives; a survivor may be equivalent to the original, which is for a person
// to judge. Source of the idea: R. DeMillo, R. Lipton, F. Sayward, "Hints on
// Test Data Selection", 1978.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

func main() { tool.Main(newCommand) }

func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name: "mutate", Usage: "break a package in small ways and see which breaks its tests do not notice",
		ArgsUsage: "DIRECTORY", Writer: out, ErrWriter: errOut,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "sample", Value: 20, Usage: "try `N` mutants that compile"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "choose them by `SEED`"},
			&cli.StringFlag{Name: "skip", Usage: "leave out the tests that match `REGEXP`"},
			&cli.DurationFlag{Name: "timeout", Value: 5 * time.Minute, Usage: "tests that run longer have noticed"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return command.WrongUsef("DIRECTORY: %d given, want one, such as ./movegen", cmd.Args().Len())
			}
			if cmd.Int("sample") < 1 {
				return command.WrongUsef("sample: %d, want at least 1", cmd.Int("sample"))
			}
			r := runner{out: out, skip: cmd.String("skip"), timeout: cmd.Duration("timeout")}
			return r.run(ctx, cmd.Args().First(), cmd.Int("sample"), cmd.Uint64("seed"))
		},
	}
}

// runner tries the mutants of one package.
type runner struct {
	out     io.Writer
	skip    string
	timeout time.Duration
	dir     string // of the package
	temp    string
}

// run tries a sample of the mutants and prints a verdict for each.
func (r *runner) run(ctx context.Context, pkg string, sample int, seed uint64) error {
	all, err := r.list(pkg)
	if err != nil {
		return err
	}
	if r.temp, err = os.MkdirTemp("", "mutate-*"); err != nil {
		return err
	}
	defer os.RemoveAll(r.temp)
	if noticed, err := r.try(ctx, nil); err != nil || noticed {
		return fmt.Errorf("the unchanged package does not pass: %v", err)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tried, survivors := 0, 0
	for i := 0; i < len(all) && tried < sample; i++ {
		noticed, err := r.try(ctx, &all[i])
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errBuild):
			continue
		case err != nil:
			return err
		}
		verdict := "noticed "
		if tried++; !noticed {
			survivors++
			verdict = "SURVIVED"
		}
		m := all[i]
		fmt.Fprintf(r.out, "%s %s:%d: %q becomes %q\n", verdict, filepath.Base(m.file), m.line, m.old, m.become)
	}
	fmt.Fprintf(r.out, "%s: %d of %d noticed (%d possible mutants, seed %d)\n", pkg, tried-survivors, tried, len(all), seed)
	if survivors > 0 {
		return fmt.Errorf("%d survived", survivors)
	}
	return nil
}

// list returns the mutants of the files that this system builds.
func (r *runner) list(dir string) (all []mutant, err error) {
	if r.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	pkg, err := build.ImportDir(r.dir, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range pkg.GoFiles {
		name = filepath.Join(r.dir, name)
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := mutants(name, src)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// errBuild is the error of a mutant that does not compile.
var errBuild = errors.New("does not compile")

// try builds and runs the tests with a mutant, or without where m is nil, and
// reports whether they fail.
func (r *runner) try(ctx context.Context, m *mutant) (noticed bool, err error) {
	binary := filepath.Join(r.temp, "package.test")
	args := []string{"test", "-c", "-vet=off", "-o", binary}
	if m != nil {
		overlay, err := r.overlay(m)
		if err != nil {
			return false, err
		}
		args = append(args, "-overlay", overlay)
	}
	compile := exec.CommandContext(ctx, "go", append(args, ".")...)
	compile.Dir = r.dir
	if text, err := compile.CombinedOutput(); err != nil {
		return false, fmt.Errorf("%w: %s", errBuild, bytes.TrimSpace(text))
	}
	if _, err := os.Stat(binary); err != nil {
		return false, fmt.Errorf("%s has no tests", r.dir)
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout+5*time.Second)
	defer cancel()
	test := exec.CommandContext(ctx, binary, "-test.short", "-test.failfast", "-test.timeout", r.timeout.String(), "-test.skip", r.skip)
	test.Dir = r.dir
	test.WaitDelay = time.Second
	err = test.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && ctx.Err() == nil {
		return false, err
	}
	return err != nil, nil
}

// overlay writes the mutant's file and the overlay that names it.
func (r *runner) overlay(m *mutant) (string, error) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(r.temp, strings.TrimSuffix(filepath.Base(m.file), ".go")+"_mutant.go")
	if err := os.WriteFile(changed, m.apply(src), 0o666); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: changed}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(r.temp, "overlay.json")
	return name, os.WriteFile(name, text, 0o666)
}
