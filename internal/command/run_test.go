package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
)

func TestRun(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		err    error // of the command
		args   []string
		code   int
		out    string
		errOut string
	}{
		{name: "done", args: []string{"work"}},
		{name: "failed", args: []string{"work"}, err: errors.New("no paper"), code: exit.Failed, errOut: "t: no paper\n"},
		{name: "wrong use", args: []string{"work"}, err: exit.WrongUsef("depth: 0"), code: exit.Usage, errOut: "t: depth: 0\n"},
		{name: "a mistyped number", args: []string{"work", "--number", "x"}, code: exit.Usage, errOut: "t: --number \"x\": want a whole number; see t work --help\n"},
		{name: "a number too large", args: []string{"work", "-n", "99999999999999999999"}, code: exit.Usage, errOut: `t: -n "99999999999999999999": want a whole number from -9223372036854775808 to 9223372036854775807;`},
		{name: "a mistyped time", args: []string{"work", "--time", "5"}, code: exit.Usage, errOut: `t: --time "5": want a time such as 90s`},
		{name: "a mistyped share", args: []string{"work", "--share", "half"}, code: exit.Usage, errOut: `t: --share "half": want a number;`},
		{name: "a negative count", args: []string{"work", "--count", "-1"}, code: exit.Usage, errOut: `t: --count "-1": want a whole number from 0`},
		{name: "mistyped numbers", args: []string{"work", "--numbers", "x"}, code: exit.Usage, errOut: `t: --numbers "x": want a whole number`},
		{name: "no value", args: []string{"work", "--number"}, code: exit.Usage, errOut: "t: --number: needs a value; see t work --help\n"},
		{name: "a flag is missing", args: []string{"save"}, code: exit.Usage, errOut: "t: --file: required, but not given; see t save --help\n"},
		{name: "an unknown flag", args: []string{"work", "--no"}, code: exit.Usage, errOut: "t: --no: unknown flag; see t work --help\n"},
		{name: "an argument too many", args: []string{"work", "more"}, code: exit.Usage, errOut: "t: unexpected argument \"more\"; see t work --help\n"},
		{name: "no such command", args: []string{"play"}, code: exit.Usage, errOut: "\"play\" is not a command"},
		{name: "version", args: []string{"--version"}, out: "Tabula t "},
		{name: "help", args: []string{"--help"}, out: exit.Help},
		{name: "help of a command", args: []string{"work", "--help"}, out: "t work"},
		{name: "interrupted, and says nothing", ctx: cancelled, args: []string{"work"}, code: exit.Interrupted, errOut: "t: interrupted\n"},
		{name: "interrupted", ctx: cancelled, err: context.Canceled, args: []string{"work"}, code: exit.Interrupted, errOut: "t: interrupted\n"},
		{name: "interrupted, as a step says", ctx: cancelled, err: fmt.Errorf("search: %w", context.Canceled), args: []string{"work"}, code: exit.Interrupted, errOut: "t: interrupted\n"},
		{name: "interrupted, and the disk is full", ctx: cancelled, err: errors.Join(context.Canceled, errors.New("disk full")), args: []string{"work"},
			code: exit.Interrupted, errOut: "t: disk full\n"},
		{name: "interrupted with more to say", ctx: cancelled, err: errors.New("go on from step 3"), args: []string{"work"},
			code: exit.Interrupted, errOut: "t: go on from step 3\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			ctx := tt.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			code := Run(ctx, program(&out, &errOut, func() error { return tt.err }), append([]string{"t"}, tt.args...))
			if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errOut.String(), tt.errOut) {
				t.Errorf("exit code %d, %q, %q; want %d, %q, %q", code, &out, &errOut, tt.code, tt.out, tt.errOut)
			}
			if n := strings.Count(errOut.String(), "\n"); n > 1 || (n == 1) != (tt.code != exit.Done) {
				t.Errorf("%d lines of errors:\n%s", n, &errOut)
			}
		})
	}
}

// program is a program with one
func program(out, errOut io.Writer, work func() error) *cli.Command {
	return &cli.Command{
		Name: "t", Usage: "try", Writer: out, ErrWriter: errOut,
		Commands: []*cli.Command{{
			Name: "work",
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "number", Aliases: []string{"n"}}, &cli.DurationFlag{Name: "time"},
				&cli.FloatFlag{Name: "share"}, &cli.Uint64Flag{Name: "count"}, &cli.IntSliceFlag{Name: "numbers"},
			},
			Action: func(_ context.Context, cmd *cli.Command) error {
				return errors.Join(NoArguments(cmd), work())
			},
		}, {
			Name:   "save",
			Flags:  []cli.Flag{&cli.StringFlag{Name: "file", Required: true}},
			Action: func(context.Context, *cli.Command) error { return work() },
		}},
	}
}

// stubTerminal is a terminal of 40 columns.
type stubTerminal struct{ io.Writer }

func (stubTerminal) Size() (width, height int) { return 40, 24 }

// seen returns the lines that a terminal shows of a text.
func seen(text string) (lines []string) {
	for line := range strings.Lines(text) {
		var row []rune
		for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\r") {
			part := []rune(part)
			row = append(part, row[min(len(part), len(row)):]...)
		}
		lines = append(lines, strings.TrimRight(string(row), " "))
	}
	return lines
}

// TestBar writes a message, a result and an error while a progress bar is drawn: each
// begins on an empty line.
func TestBar(t *testing.T) {
	var shown bytes.Buffer
	p := program(stubTerminal{&shown}, stubTerminal{&shown}, nil)
	p.Commands[0].Action = func(_ context.Context, cmd *cli.Command) error {
		for _, out := range []io.Writer{cmd.Root().ErrWriter, cmd.Root().Writer} {
			NewBar(cmd.Root().ErrWriter, 10, "a command with a long name").Add(1)
			fmt.Fprintln(out, "text")
		}
		NewBar(cmd.Root().ErrWriter, 10, "a command with a long name").Add(1)
		return errors.New("no good")
	}
	Run(t.Context(), p, []string{"t", "work"})
	if got := strings.Join(seen(shown.String()), "|"); got != "text|text|t: no good" {
		t.Errorf("%s is seen of %q", got, &shown)
	}
	if n := strings.Count(shown.String(), "a command"); n != 3 {
		t.Errorf("%d bars are drawn, want 3: %q", n, &shown)
	}
}

// TestBarBesideFile: results that go to a file leave the bar on the terminal.
func TestBarBesideFile(t *testing.T) {
	var out, shown bytes.Buffer
	p := program(&out, stubTerminal{&shown}, nil)
	p.Commands[0].Action = func(_ context.Context, cmd *cli.Command) error {
		NewBar(cmd.Root().ErrWriter, 10, "working").Add(1)
		_, err := fmt.Fprintln(cmd.Root().Writer, "12")
		return err
	}
	Run(t.Context(), p, []string{"t", "work"})
	if got := seen(shown.String()); out.String() != "12\n" || len(got) != 1 || !strings.HasPrefix(got[0], "working") {
		t.Errorf("%q, and on the terminal %q", &out, got)
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFull writes help, the version and what a command prints without looking to a
// full disk.
func TestFull(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {}, {"work", "--help"}, {"help", "work"}, {"--version"}, {"work"}, {"completion", "bash"}} {
		var errOut bytes.Buffer
		p := program(nil, &errOut, nil)
		p.Writer = full{}
		p.Commands[0].Action = func(_ context.Context, cmd *cli.Command) error {
			fmt.Fprintln(cmd.Root().Writer, "result")
			return nil
		}
		if code := Run(t.Context(), p, append([]string{"t"}, args...)); code != exit.Failed || !strings.Contains(errOut.String(), "no space") {
			t.Errorf("t %s: exit code %d, %q", args, code, &errOut)
		}
	}
}

// TestProfiles shows that profiles are complete although a command fails or is
// interrupted, and that a bad name costs no work.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	cpu := filepath.Join(dir, "cpu")
	ctx, cancel := context.WithCancel(context.Background())
	var out, errOut bytes.Buffer
	code := Run(ctx, program(&out, &errOut, func() error { cancel(); return ctx.Err() }),
		[]string{"t", "--cpuprofile", cpu, "work"})
	if code != exit.Interrupted {
		t.Errorf("exit code %d\n%s", code, &errOut)
	}
	if info, err := os.Stat(cpu); err != nil || info.Size() == 0 {
		t.Errorf("%v, want a profile", err)
	}
	worked := false
	code = Run(context.Background(), program(&out, &errOut, func() error { worked = true; return nil }),
		[]string{"t", "--cpuprofile", filepath.Join(dir, "none", "cpu"), "work"})
	if code != exit.Usage || worked {
		t.Errorf("exit code %d, worked: %v", code, worked)
	}
}
