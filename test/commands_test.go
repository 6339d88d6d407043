package test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// The commands in this file look at whole runs of the binary and at files.

// benchLine is the last line of a bench.
var benchLine = regexp.MustCompile(`^(\d+) nodes \d+ nps$`)

// benchNodes returns the node count that the output of a bench ends with.
func benchNodes(output string) (string, error) {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	m := benchLine.FindStringSubmatch(lines[len(lines)-1])
	if m == nil {
		return "", fmt.Errorf("a bench ends with %q, want N nodes M nps", lines[len(lines)-1])
	}
	return m[1], nil
}

// cmdSignature makes sure that two bench outputs have the same node count:
// signature FILE FILE.
func cmdSignature(ts *testscript.TestScript, neg bool, args []string) {
	a, errA := benchNodes(ts.ReadFile(args[0]))
	b, errB := benchNodes(ts.ReadFile(args[1]))
	check(ts, neg, errors.Join(errA, errB))
	if a != b {
		ts.Fatalf("%s has %s nodes, %s has %s", args[0], a, args[1], b)
	}
}

// cmdDistinct counts the different lines of a file that match: distinct N
// PATTERN FILE.
func cmdDistinct(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	check(ts, neg, err)
	re, seen := regexp.MustCompile(args[1]), map[string]bool{}
	for _, l := range strings.Split(ts.ReadFile(args[2]), "\n") {
		if re.MatchString(l) {
			seen[l] = true
		}
	}
	if len(seen) != want {
		ts.Fatalf("%d different lines match %q, want %d: %v", len(seen), args[1], want, seen)
	}
}

// cmdEvery makes sure that every line of a file matches: every PATTERN FILE.
func cmdEvery(ts *testscript.TestScript, neg bool, args []string) {
	re, err := regexp.Compile(args[0])
	check(ts, neg, err)
	for i, l := range strings.Split(strings.TrimSuffix(ts.ReadFile(args[1]), "\n"), "\n") {
		if !re.MatchString(l) {
			ts.Fatalf("line %d, %q, does not match %q", i+1, l, args[0])
		}
	}
}

// runWith runs the engine with a choice of attack path and returns what it
// prints and its exit code.
func runWith(ts *testscript.TestScript, path string, args ...string) (output string, code int) {
	cmd := exec.Command(binary, args...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "TABULA_ATTACKS="+path)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		ts.Fatalf("%v", err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// cmdExitCode makes sure of the exit code of a run: exitcode N ARG...
func cmdExitCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	check(ts, neg, err)
	if _, code := runWith(ts, ts.Getenv("TABULA_ATTACKS"), args[1:]...); code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// cmdEachPath makes sure that each attack path either gives the node count of
// a bench output or is refused with code 2: eachpath FILE PATH...
func cmdEachPath(ts *testscript.TestScript, neg bool, args []string) {
	want, err := benchNodes(ts.ReadFile(args[0]))
	check(ts, neg, err)
	for _, path := range args[1:] {
		switch _, code := runWith(ts, path, "--version"); code {
		case 0:
		case 2:
			ts.Logf("%s cannot run here", path)
			continue
		default:
			ts.Fatalf("%s: exit code %d, want 0 or 2", path, code)
		}
		out, _ := runWith(ts, path, "bench", "6")
		got, err := benchNodes(out)
		ts.Check(err)
		if got != want {
			ts.Fatalf("%s: bench has %s nodes, want %s", path, got, want)
		}
		if out, _ := runWith(ts, path, "go perft 4"); !strings.Contains(out, "\nNodes searched: 197281\n") {
			ts.Fatalf("%s: go perft 4 prints %s", path, out)
		}
	}
}
