// Package test checks the built program from outside: UCI sessions scripted in testdata/script, games by the clock, and
// the builds for other systems; and the texts and imports of the whole module. A script fails where an answer is one
// that a game runner would not accept.
package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabula-chess/tabula/test/kit"
)

// moduleRoot is the folder of the module.
var moduleRoot, _ = filepath.Abs("..")

// binary is the engine that the tests run, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// buildAndRun builds the engine, with the race detector where the tests have it, and runs the tests.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tabula-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "tabula")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-pgo=off", "-race="+strconv.FormatBool(kit.RaceDetector()), "-o", binary, ".")
	cmd.Dir = moduleRoot
	if !kit.RaceDetector() {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the engine: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestScripts runs every script with one thread, and with four threads those that depend on them.
func TestScripts(t *testing.T) {
	folder := filepath.Join("testdata", "script")
	t.Run("1", func(t *testing.T) {
		p := scripts("1")
		p.Dir = folder
		testscript.Run(t, p)
	})
	t.Run("4", func(t *testing.T) {
		p := scripts("4")
		for _, name := range []string{"eof", "hash", "infinite", "lines", "mate", "multipv", "ponder", "repetition", "serial", "wait"} {
			p.Files = append(p.Files, filepath.Join(folder, name+".txtar"))
		}
		testscript.Run(t, p)
	})
}

// scripts returns how scripts are run with an engine and its number of threads.
func scripts(threads string) testscript.Params {
	return testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"), "THREADS="+threads)
			s := &session{}
			env.Values[sessionKey{}] = s
			env.Defer(func() {
				if s.engine != nil {
					s.engine.kill()
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"engine": cmdEngine, "send": cmdSend, "expect": cmdExpect, "quiet": cmdQuiet, "eof": cmdEOF, "exits": cmdExits,
		},
	}
}

type sessionKey struct{}

// session is what a script keeps between its commands.
type session struct{ engine *engine }

// current returns the running engine of a script.
func current(ts *testscript.TestScript) *engine {
	s := ts.Value(sessionKey{}).(*session)
	if s.engine == nil {
		ts.Fatalf("no engine is running")
	}
	return s.engine
}

// cmdEngine starts the engine with the number of threads of the run.
func cmdEngine(ts *testscript.TestScript, _ bool, _ []string) {
	e, err := startEngine(ts.Getenv("WORK"), ts.Getenv("THREADS"), os.Environ())
	ts.Check(err)
	ts.Value(sessionKey{}).(*session).engine = e
}

func cmdSend(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(current(ts).send(strings.Join(args, " ")))
}

// cmdExpect waits for a line: expect [WITHIN] PATTERN.
func cmdExpect(ts *testscript.TestScript, _ bool, args []string) {
	within := patience
	if len(args) > 1 {
		var err error
		within, err = time.ParseDuration(args[0])
		ts.Check(err)
	}
	_, err := current(ts).expect(regexp.MustCompile(args[len(args)-1]), within)
	ts.Check(err)
}

// cmdQuiet fails if a line comes: quiet DURATION PATTERN.
func cmdQuiet(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	ts.Check(current(ts).quiet(regexp.MustCompile(args[1]), d))
}

func cmdEOF(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(current(ts).stdin.Close()) }

// cmdExits waits for the end of the process with exit code 0 and writes what the engine sent to the file transcript.
func cmdExits(ts *testscript.TestScript, _ bool, _ []string) {
	e := current(ts)
	ts.Check(e.exits(0))
	ts.Value(sessionKey{}).(*session).engine = nil
	ts.Check(os.WriteFile(ts.MkAbs("transcript"), []byte(e.received()), 0o666))
}
