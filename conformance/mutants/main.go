// Command mutants shows that the tests would notice a broken engine.
//
//	go run ./conformance/mutants              all of them: make mutants
//	go run ./conformance/mutants --list
//	go run ./conformance/mutants --only castling
//	go run ./conformance/mutants --only search. --skip TestBenchIsPinned
//
// It copies the tree to a temporary directory, runs go test -short ./... there,
// and then breaks one small thing at a time (see mutant.go and the tables beside
// it). A break is killed when go test -short fails in some package; packages
// that fail in the unbroken tree are named and do not count.
// To save time the packages nearest to the break are tested first and the
// first failure ends the test; a break that survives those is tested with
// ./..., so that the verdict is that of go test -short ./... in any case but
// two: the test of this package and the one that compares generated files with
// their generator do not count.
//
// A break names a declaration and some of its tokens, so that most edits leave
// it alone. Where one does not, the break is reported as lost and the others
// are tried. Exit codes are those of every program here (see internal/exit): a
// survivor that is not said to live, a lost break and one without a verdict are
// failures. Source of the idea: R. DeMillo, R. Lipton, F. Sayward, "Hints on
// Test Data Selection", 1978.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/tool"
)

func main() { tool.Main(newCommand) }

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:   "mutants",
		Usage:  "break the engine in small ways and see that the tests notice",
		Writer: out, ErrWriter: errOut,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "only", Usage: "only breaks whose declaration or description contains `TEXT`"},
			&cli.StringFlag{Name: "skip", Usage: "leave out the tests that match `REGEXP`, as go test -skip does"},
			&cli.StringFlag{Name: "table", Usage: "write the verdicts as a Markdown table to `FILE`"},
			&cli.BoolFlag{Name: "list", Usage: "list the breaks and do nothing"},
			&cli.BoolFlag{Name: "skip-baseline", Usage: "do not test the unbroken tree first"},
			&cli.StringFlag{Name: "root", Value: ".", Usage: "the module's `DIRECTORY`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			var chosen []mutant
			for _, m := range mutants() {
				if only := cmd.String("only"); strings.Contains(m.in, only) || strings.Contains(m.what, only) {
					chosen = append(chosen, m)
				}
			}
			switch {
			case len(chosen) == 0:
				return exit.WrongUsef("only: no break has %q in its name", cmd.String("only"))
			case cmd.Bool("list"):
				return list(out, chosen)
			}
			l, err := newLab(cmd.String("root"))
			if err != nil {
				return err
			}
			defer l.close()
			l.skip = cmd.String("skip")
			if !cmd.Bool("skip-baseline") {
				if err := l.baseline(ctx, out); err != nil {
					return err
				}
			}
			trials, err := l.run(ctx, chosen, out)
			if name := cmd.String("table"); name != "" {
				err = errors.Join(err, os.WriteFile(name, []byte(markdown(trials)), 0o644))
			}
			return errors.Join(err, summary(out, trials))
		},
	}
}

// list prints the breaks.
func list(out io.Writer, all []mutant) error {
	for i, m := range all {
		if _, err := fmt.Fprintf(out, "%3d %s: %s\n", i+1, m.in, m.what); err != nil {
			return err
		}
	}
	return nil
}

// lab is a copy of the tree in which things are broken.
type lab struct {
	root   string   // the tree
	dir    string   // the copy
	skip   string   // tests to leave out
	failed []string // packages whose tests fail unbroken
}

// newLab copies the tree without its history into a temporary directory.
func newLab(root string) (*lab, error) {
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return nil, fmt.Errorf("root: %w", err)
	}
	parent, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	// One level down, so that nothing beside the tree is found beside the copy.
	l := &lab{root: root, dir: filepath.Join(parent, "tree")}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(l.dir, relative), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(filepath.Join(l.dir, relative), name)
	})
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// close removes the copy.
func (l *lab) close() { _ = os.RemoveAll(filepath.Dir(l.dir)) }

// baseline tests the unbroken tree and names the packages that fail.
func (l *lab) baseline(ctx context.Context, out io.Writer) error {
	fmt.Fprintln(out, "unbroken: go test -short ./...")
	_, text, err := l.test(ctx, "./...")
	if err != nil {
		return err
	}
	for _, match := range failedPackage.FindAllSubmatch(text, -1) {
		l.failed = append(l.failed, string(match[1]))
		fmt.Fprintf(out, "%s fails unbroken and is left out\n", match[1])
	}
	return nil
}

// try applies a mutant, tests, and restores the file. It returns the package
// pattern whose tests fail, "" if none do.
func (l *lab) try(ctx context.Context, m *mutant) (killer string, err error) {
	e, err := m.apply(l.dir)
	if err == nil {
		err = e.check()
	}
	if err != nil {
		return "", err
	}
	name := filepath.Join(l.dir, e.file)
	if err := os.WriteFile(name, e.broken, 0o644); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.WriteFile(name, e.original, 0o644)) }()
	for _, pattern := range patterns(e.file) {
		failed, text, err := l.test(ctx, pattern)
		switch {
		case err != nil:
			return "", err
		case bytes.Contains(text, []byte("[build failed]")) || bytes.Contains(text, []byte("[setup failed]")):
			return "", fmt.Errorf("it does not compile:\n%s", text)
		case failed:
			return pattern, nil
		}
	}
	return "", nil
}

// test runs the short tests of a pattern in the copy. The test material that
// lies outside the tree is out of reach, as it is for anyone who has only the
// tree.
func (l *lab) test(ctx context.Context, pattern string) (failed bool, output []byte, err error) {
	args := []string{"test", "-short", "-failfast", "-timeout", "10m"}
	skip := l.skip
	if pattern == everythingButGen {
		skip = strings.Trim(skip+"|"+generatedFilesTests, "|")
	}
	if skip != "" {
		args = append(args, "-skip", skip)
	}
	switch pattern {
	case everythingButGen, "./...":
		packages, err := l.packages(ctx)
		if err != nil {
			return false, nil, err
		}
		args = append(args, packages...)
	default:
		args = append(args, pattern)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "TABULA_SHARED="+filepath.Join(l.dir, "none"))
	output, err = cmd.CombinedOutput()
	if ctx.Err() != nil {
		return false, output, ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return true, output, nil
	}
	return false, output, err
}

// failedPackage finds the packages in the output of go test that failed.
var failedPackage = regexp.MustCompile(`(?m)^FAIL\t(\S+)`)

// packages returns all packages but those that fail unbroken, and this one,
// whose test looks at the source of all others.
func (l *lab) packages(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "./...")
	cmd.Dir = l.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(p string) bool {
		return strings.HasSuffix(p, "/conformance/mutants") || slices.Contains(l.failed, p)
	}), nil
}
