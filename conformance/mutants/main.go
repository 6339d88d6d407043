// Command mutants shows that the tests would notice a broken move generator.
//
//	go run ./conformance/mutants              all of them: make mutants
//	go run ./conformance/mutants --list
//	go run ./conformance/mutants --only castling
//
// It copies the tree to a temporary directory, runs go test -short ./... there,
// and then breaks one small thing at a time (see table.go and the files beside
// it). A break is killed when go test -short fails in some package; packages
// that fail in the unbroken tree are named and do not count.
// To save time the packages nearest to the break are tested first and the
// first failure ends the test; a break that survives those is tested with
// ./..., so that the verdict is that of go test -short ./... in any case but
// two: the test of this package, which fails as soon as anything is broken, and
// the one that compares generated files with their generator do not count.
//
// Exit codes: 0 where all are killed, 1 where one survives, 2 where that could
// not be found out. Source of the idea: R. DeMillo, R. Lipton, F. Sayward,
// "Hints on Test Data Selection", 1978.
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
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	survived := false
	command := &cli.Command{
		Name:  "mutants",
		Usage: "break the move generator in small ways and see that the tests notice",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "only", Usage: "only breaks whose file or description contains `TEXT`"},
			&cli.BoolFlag{Name: "list", Usage: "list the breaks and do nothing"},
			&cli.BoolFlag{Name: "skip-baseline", Usage: "do not test the unbroken tree first"},
			&cli.StringFlag{Name: "root", Value: ".", Usage: "the module's `DIRECTORY`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			var chosen []mutant
			for _, m := range mutants() {
				if only := cmd.String("only"); strings.Contains(m.file, only) || strings.Contains(m.what, only) {
					chosen = append(chosen, m)
				}
			}
			if cmd.Bool("list") {
				for i, m := range chosen {
					fmt.Printf("%2d %s: %s\n", i+1, m.file, m.what)
				}
				return nil
			}
			lab, err := newLab(cmd.String("root"))
			if err != nil {
				return err
			}
			defer lab.close()
			survivors, err := lab.run(ctx, chosen, !cmd.Bool("skip-baseline"), os.Stdout)
			survived = survivors > 0
			return err
		},
	}
	if err := command.Run(ctx, os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if survived {
		os.Exit(1)
	}
}

// lab is a copy of the tree in which things are broken.
type lab struct {
	root   string   // the tree
	dir    string   // the copy
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

// run tries the mutants and returns how many survive.
func (l *lab) run(ctx context.Context, chosen []mutant, baseline bool, out io.Writer) (survivors int, err error) {
	begin := time.Now()
	var bad error
	if baseline {
		fmt.Fprintln(out, "unbroken: go test -short ./...")
		_, text, err := l.test(ctx, "./...")
		if err != nil {
			return 0, err
		}
		for _, match := range failedPackage.FindAllSubmatch(text, -1) {
			l.failed = append(l.failed, string(match[1]))
			fmt.Fprintf(out, "%s fails unbroken and is left out\n", match[1])
		}
	}
	for i, m := range chosen {
		start := time.Now()
		killer, err := l.try(ctx, &m)
		verdict := "killed by " + killer
		switch {
		case ctx.Err() != nil:
			return survivors, ctx.Err()
		case err != nil:
			verdict = "NO VERDICT"
			bad = errors.Join(bad, fmt.Errorf("%s: %s: %w", m.file, m.what, err))
		case killer == "":
			survivors++
			verdict = "SURVIVED"
		}
		fmt.Fprintf(out, "%2d/%d %s: %s: %s (%.1f s)\n", i+1, len(chosen), m.file, m.what, verdict, time.Since(start).Seconds())
	}
	fmt.Fprintf(out, "%d of %d survive, %.0f s\n", survivors, len(chosen), time.Since(begin).Seconds())
	return survivors, bad
}

// try applies a mutant, tests, and restores the file. It returns the package
// pattern whose tests fail, "" if none do.
func (l *lab) try(ctx context.Context, m *mutant) (killer string, err error) {
	name := filepath.Join(l.dir, filepath.FromSlash(m.file))
	original, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	broken, err := m.apply(original)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(name, broken, 0o644); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.WriteFile(name, original, 0o644)) }()
	for _, pattern := range m.packages() {
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
	switch pattern {
	case everythingButGen:
		args = append(args, "-skip", generatedFilesTests)
		fallthrough
	case "./...":
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

// packages returns all packages but those that fail unbroken, and this one:
// its test demands that every break can still be applied.
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
