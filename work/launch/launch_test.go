package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// counts is a kind of work whose jobs come to their index. Its sum is printed.
type counts struct {
	Base int // added to each

	work.Independent `json:"-"`
	n, done, sum     int
	at               int    // the job that calls stop
	stop             func() // interrupts the command
	out              io.Writer
}

func (c *counts) Check() error {
	if c.Base < 0 {
		return exit.WrongUsef("base %d: want at least 0", c.Base)
	}
	return nil
}

func (c *counts) Open(context.Context, work.Inputs) (work.JobWorker, error) { return c, nil }
func (c *counts) Close()                                                    {}
func (c *counts) Text() string                                              { return fmt.Sprintf("%d done", c.done) }

func (c *counts) Next(index int) ([]byte, error) {
	if index >= c.n {
		return nil, io.EOF
	}
	return nil, nil
}

func (c *counts) Do(_ context.Context, j work.Job) ([]byte, float64, error) {
	if j.Index == c.at && c.stop != nil {
		c.stop()
	}
	return fmt.Append(nil, c.Base+j.Index), 1, nil
}

func (c *counts) Add(_ int, data []byte) error {
	if c.out != nil {
		if _, err := fmt.Fprintf(c.out, "%s\n", data); err != nil {
			return err
		}
	}
	var value int
	_, err := fmt.Sscan(string(data), &value)
	c.sum, c.done = c.sum+value, c.done+1
	return err
}

// count runs the command. The job with the index stop interrupts it, or for a negative one, with a state, the bench.
func count(t *testing.T, stop int, args ...string) (out, errOut string, code int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	kind := Kind{
		Name: "count", Usage: "count", Threads: "use `N` threads", Type: &work.Type{Name: "count", Version: 1},
		Flags: []cli.Flag{&cli.IntFlag{Name: "base"}, &cli.IntFlag{Name: "jobs", Value: 5}, &cli.StringFlag{Name: "out"}},
		Task: func(_ context.Context, cmd *cli.Command, _ work.Env) (*Task, error) {
			k := &counts{Base: cmd.Int("base"), n: cmd.Int("jobs"), at: stop, stop: cancel}
			all := &Task{
				Kind: k, Jobs: k.n, Done: func() int { return k.done },
				Search: func(context.Context) (uint64, error) { return 7, errors.ErrUnsupported },
				Print: func(w io.Writer) error {
					_, err := fmt.Fprintln(w, "sum", k.sum)
					return err
				},
			}
			if cmd.String("state") != "" {
				all.Search = func(ctx context.Context) (uint64, error) {
					if stop < 0 {
						cancel()
					}
					return 7, ctx.Err()
				}
			}
			if name := cmd.String("out"); name != "" {
				o, err := work.OpenOutput(name)
				if err != nil {
					return nil, err
				}
				all.Output, k.out = o, o
			}
			return all, nil
		},
	}
	var o, e strings.Builder
	program := &cli.Command{Name: "test", Writer: &o, ErrWriter: &e, Commands: []*cli.Command{kind.Local()}}
	code = command.Run(ctx, program, append([]string{"test", "count", "--threads", "1"}, args...))
	return o.String(), e.String(), code
}

// TestWork runs a kind of work from the command line, interrupts it, continues it and spoils what it has stored.
func TestWork(t *testing.T) {
	dir := t.TempDir()
	state, file := filepath.Join(dir, "state"), filepath.Join(dir, "out")
	kept := []string{"--state", state, "--out", file}
	for _, tt := range []struct {
		name   string
		stop   int
		args   []string
		code   int
		out    string
		errOut string
	}{
		{"at once", 99, nil, exit.Done, "sum 10\n", ""},
		{"interrupted", 3, nil, exit.Interrupted, "sum 3\n", "test: count: interrupted; without --state nothing is kept\n"},
		{"interrupted with a state", 3, kept, exit.Interrupted, "sum 3\n",
			"test: count: interrupted; " + state + " holds what is finished, and the same command continues\n"},
		{"interrupted before the first job", -1, kept, exit.Interrupted, "",
			"test: count: interrupted; " + state + " holds what is finished, and the same command continues\n"},
		{"continued", 2, kept, exit.Done, "sum 10\n", ""}, // job 2 is not done again
		{"further", 99, append(kept, "--jobs", "7"), exit.Done, "sum 21\n", ""},
		{"otherwise", 99, append(kept, "--base", "1"), exit.Usage, "",
			"test: count: " + state + ": record 1: it belongs to a run with other settings: Base 0, not 1; give another --state\n"},
		{"wrongly", 99, []string{"--base", "-1"}, exit.Usage, "", "test: count: base -1: want at least 0\n"},
		{"without threads", 99, []string{"--threads", "0"}, exit.Usage, "",
			"test: --threads \"0\": want at least 1; see test count --help\n"},
	} {
		out, errOut, code := count(t, tt.stop, tt.args...)
		if code != tt.code || out != tt.out || errOut != tt.errOut {
			t.Errorf("%s: exit code %d, %q, %q; want %d, %q, %q", tt.name, code, out, errOut, tt.code, tt.out, tt.errOut)
		}
	}
	if got := string(kit.Read(t, file)); got != "0\n1\n2\n3\n4\n5\n6\n" {
		t.Errorf("the file has %q", got)
	}
	data := kit.Read(t, state)
	data[len(data)-5] ^= 1
	kit.Write(t, state, data)
	out, errOut, code := count(t, 99, append(kept, "--jobs", "7")...)
	if code != 0 || out != "sum 21\n" || !strings.HasPrefix(errOut, state+": damaged from byte ") ||
		!strings.HasSuffix(errOut, "is done again\n") {
		t.Errorf("damaged: exit code %d, %q, %q", code, out, errOut)
	}
}
