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
)

// moduleRoot is the folder of the module.
var moduleRoot, _ = filepath.Abs("..")

// binary is the engine that the scripts play with, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// buildAndRun builds the engine, with the race detector where the tests have
// it, and runs the tests.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tabula-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	root := moduleRoot
	binary = filepath.Join(dir, "tabula")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	args := []string{"build", "-o", binary}
	if raceDetector {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the engine: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// scriptFolder holds the scripts.
var scriptFolder = filepath.Join("testdata", "script")

func TestScripts(t *testing.T) {
	p := scripts(1)
	p.Dir = scriptFolder
	testscript.Run(t, p)
}

// TestScriptsWithThreads runs those scripts with more threads than one.
func TestScriptsWithThreads(t *testing.T) {
	counts := threadCounts()
	if testing.Short() {
		counts = counts[1:2]
	}
	for _, n := range counts {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			p := scripts(n)
			for _, name := range threaded() {
				p.Files = append(p.Files, filepath.Join(scriptFolder, name+".txtar"))
			}
			testscript.Run(t, p)
		})
	}
}

// scripts says how scripts are run with an engine of so many threads.
func scripts(threads int) testscript.Params {
	return testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"),
				"THREADS="+strconv.Itoa(threads))
			s := &session{}
			env.Values[sessionKey{}] = s
			env.Defer(func() {
				if s.engine != nil {
					s.engine.kill()
				}
			})
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "race":
				return raceDetector, nil
			case "hugepages":
				b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
				return err == nil && !strings.Contains(string(b), "[never]"), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"engine": cmdEngine, "send": cmdSend, "expect": cmdExpect, "prompt": cmdPrompt, "quiet": cmdQuiet,
			"eof": cmdEOF, "exits": cmdExits, "save": cmdSave, "latency": cmdLatency,
			"repeat": cmdRepeat, "smaps": cmdSmaps, "duel": cmdDuel,
			"signature": cmdSignature, "distinct": cmdDistinct, "every": cmdEvery, "exitcode": cmdExitCode, "eachpath": cmdEachPath,
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

// check ends the script on an error.
func check(ts *testscript.TestScript, neg bool, err error) {
	if neg {
		ts.Fatalf("! is not supported here")
	}
	ts.Check(err)
}

// cmdEngine starts the engine: engine [ARG...]. Without arguments it has as many
// threads as the scripts are run with.
func cmdEngine(ts *testscript.TestScript, neg bool, args []string) {
	e, err := startThreaded(ts, args...)
	check(ts, neg, err)
	ts.Value(sessionKey{}).(*session).engine = e
}

// startThreaded starts an engine, without arguments with as many threads as the
// scripts are run with.
func startThreaded(ts *testscript.TestScript, args ...string) (*engine, error) {
	env := append(os.Environ(), "TABULA_ATTACKS="+ts.Getenv("TABULA_ATTACKS"))
	e, err := startEngine(ts.Getenv("WORK"), env, binary, args...)
	if n := ts.Getenv("THREADS"); err == nil && n != "1" && len(args) == 0 {
		err = e.send("setoption name Threads value " + n)
	}
	return e, err
}

// cmdSend sends a line made of its arguments.
func cmdSend(ts *testscript.TestScript, neg bool, args []string) {
	check(ts, neg, current(ts).send(strings.Join(args, " ")))
}

// patternAnd reads "[DURATION] PATTERN".
func patternAnd(ts *testscript.TestScript, args []string, usual time.Duration) (*regexp.Regexp, time.Duration) {
	d := usual
	if len(args) == 2 {
		var err error
		d, err = time.ParseDuration(args[0])
		ts.Check(err)
		args = args[1:]
	}
	if len(args) != 1 {
		ts.Fatalf("want [DURATION] PATTERN")
	}
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	return re, d
}

// cmdExpect waits for a line: expect [WITHIN] PATTERN. Lines before it are
// passed over.
func cmdExpect(ts *testscript.TestScript, neg bool, args []string) {
	re, within := patternAnd(ts, args, patience)
	_, err := current(ts).expect(re, within)
	check(ts, neg, err)
}

// cmdQuiet makes sure that no line comes: quiet DURATION PATTERN.
func cmdQuiet(ts *testscript.TestScript, neg bool, args []string) {
	re, d := patternAnd(ts, args, time.Second)
	check(ts, neg, current(ts).quiet(re, d))
}

// cmdEOF closes the engine's standard input.
func cmdEOF(ts *testscript.TestScript, neg bool, _ []string) {
	check(ts, neg, current(ts).stdin.Close())
}

// cmdExits waits for the end of the process and has the session judged: exits
// [CODE].
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	code := 0
	if len(args) > 0 {
		var err error
		code, err = strconv.Atoi(args[0])
		ts.Check(err)
	}
	e := current(ts)
	check(ts, neg, e.exits(code, patience))
	if err := judge(e.entries(), true); err != nil {
		ts.Fatalf("the judge says:\n%v\n%s", err, e.transcript())
	}
	ts.Logf("%s", e.transcript())
	ts.Value(sessionKey{}).(*session).engine = nil
	ts.Check(os.WriteFile(ts.MkAbs("transcript"), []byte(e.received()), 0o666))
}

// cmdSave writes what the engine has sent so far to a file: save FILE.
func cmdSave(ts *testscript.TestScript, neg bool, args []string) {
	check(ts, neg, os.WriteFile(ts.MkAbs(args[0]), []byte(current(ts).received()), 0o666))
}

// cmdLatency sends a line N times and bounds the median time to the answer:
// latency MEDIAN N PATTERN LINE [FIRST]. FIRST is sent 30 ms before each. It
// tries again some times, and where the machine is busy with other things the
// fastest quarter of the answers decides. Where clocks are not watched each line
// has to be answered, and that is all.
func cmdLatency(ts *testscript.TestScript, neg bool, args []string) {
	bound, err := time.ParseDuration(args[0])
	ts.Check(err)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	first := ""
	if len(args) > 4 {
		first = args[4]
	}
	var took []time.Duration
	for range 5 {
		var busy bool
		took, busy, err = current(ts).latencies(n, first, args[3], regexp.MustCompile(args[2]))
		check(ts, neg, err)
		ts.Logf("first quarter %v, median %v, worst %v, busy %v", took[n/4], took[n/2], took[n-1], busy)
		if !clocksWatched() || took[n/2] <= bound || busy && took[n/4] <= bound {
			return
		}
	}
	ts.Fatalf("%s is answered after %v (median; %v at worst), want %v at most", args[3], took[n/2], took[n-1], bound)
}

// cmdPrompt waits for a line with a bound that is not stretched on a busy
// machine where clocks are watched: prompt WITHIN PATTERN.
func cmdPrompt(ts *testscript.TestScript, neg bool, args []string) {
	re, within := patternAnd(ts, args, patience)
	check(ts, neg, current(ts).prompt(re, within))
}

// cmdRepeat writes a text many times to a file: repeat FILE N BEFORE TEXT AFTER.
func cmdRepeat(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := args[2] + strings.Repeat(args[3], n) + args[4]
	check(ts, neg, os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, `\n`, "\n")), 0o666))
}

// cmdSmaps makes sure that the engine has at least so many MiB in huge pages:
// smaps MIB.
func cmdSmaps(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", current(ts).cmd.Process.Pid))
	check(ts, neg, err)
	kib := 0
	for _, m := range regexp.MustCompile(`(?m)^AnonHugePages:\s+(\d+) kB`).FindAllSubmatch(b, -1) {
		n, err := strconv.Atoi(string(m[1]))
		ts.Check(err)
		kib += n
	}
	if kib < want<<10 {
		ts.Fatalf("%d KiB in huge pages, want %d MiB", kib, want)
	}
}
