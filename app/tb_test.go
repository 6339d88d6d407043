//go:build !js

package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runTB runs the command with its arguments.
func runTB(args []string, in io.Reader, out io.Writer) error {
	c := tbCommand(in)
	c.Writer, c.ErrWriter = out, io.Discard
	return c.Run(context.Background(), append([]string{"tb"}, args...))
}

// TestTBTalks: each line is answered at once, and the end of the context ends a wait for more.
func TestTBTalks(t *testing.T) {
	in, say := io.Pipe()
	hear, out := io.Pipe()
	defer say.Close()
	c := tbCommand(in)
	c.Writer, c.ErrWriter = out, io.Discard
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx, []string{"tb"}) }()
	lines := bufio.NewReader(hear)
	for range 2 {
		if _, err := io.WriteString(say, "8/8/8/8/8/4k3/8/4K3 w - - 0 1\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "wdl 0") {
			t.Errorf("%q, %v", line, err)
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestTB(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []string
		in    string
		want  string
		fails string
	}{
		{
			name: "one FEN", args: []string{"8/8/8/4k3/8/8/8/KQ6 w - - 0 1"},
			want: "8/8/8/4k3/8/8/8/KQ6 w - - 0 1 ; wdl 2 ; dtz 17\n",
		},
		{
			name: "two without quotes", args: strings.Fields("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1 8/4P3/5K2/8/8/k7/8/8 b - - 0 1"),
			want: "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n8/4P3/5K2/8/8/k7/8/8 b - - 0 1 ; wdl -2 ; dtz -2\n",
		},
		{
			name: "a line to mate", args: []string{"--line", "7k/8/5K2/8/8/8/8/R7 w - - 0 1"},
			want: "7k/8/5K2/8/8/8/8/R7 w - - 0 1 ; wdl 2 ; dtz 3 ; line f6g6 h8g8 a1a8\n",
		},
		{
			name: "too late to mate", args: []string{"--line", "7k/8/5K2/8/8/8/8/R7 w - - 97 100", "7k/8/5K2/8/8/8/8/R7 w - - 98 100"},
			want: "7k/8/5K2/8/8/8/8/R7 w - - 97 100 ; wdl 2 ; dtz 3 ; line f6g6 h8g8 a1a8\n" +
				"7k/8/5K2/8/8/8/8/R7 w - - 98 100 ; wdl 1 ; dtz 3 ; line f6g6 h8g8 a1a8\n",
		},
		{
			name: "too late to be mated", args: []string{"8/8/4k3/8/8/8/KR6/8 b - - 75 100"},
			want: "8/8/4k3/8/8/8/KR6/8 b - - 75 100 ; wdl -1 ; dtz -30\n",
		},
		{
			name: "standard input", in: "# positions\n\n8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0\n",
			want: "8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n",
		},
		{
			name: "EPD behind a byte order mark", in: "\ufeff8/8/8/8/8/4k3/8/4K3 w - -\r\n8/8/8/8/8/4k3/8/4K3 w - - bm Kd1; id \"a\";\n",
			want: "8/8/8/8/8/4k3/8/4K3 w - - ; wdl 0 ; dtz 0\n8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n",
		},
		{
			name: "no table", in: "8/8/8/4k3/8/8/8/KQRQ4 w - - 0 1\n8/8/8/8/8/4k3/8/4K3 w - - 0 1\n",
			want:  "8/8/8/4k3/8/8/8/KQRQ4 w - - 0 1 ; error syzygy: there is no table for these pieces\n8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n",
			fails: "1 position could",
		},
		{
			name: "comments", in: "8/8/8/8/8/4k3/8/4K3 ; white mates in five\n8/8/8/8/8/4k3/8/4K3 w - - ; K+Q against K\n",
			want: "8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n8/8/8/8/8/4k3/8/4K3 w - - ; wdl 0 ; dtz 0\n",
		},
		{
			name: "flags that cannot be", args: []string{"8/8/8/8/8/4k3/8/4K3 w KQkq e6 0 1"},
			want: "8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n",
		},
		{
			name: "an EPD with semicolons and a clock", in: "8/8/8/8/8/4k3/8/4K3 w - - c0 \"a; b\"; hmvc 40;\n",
			want: "8/8/8/8/8/4k3/8/4K3 w - - 40 1 ; wdl 0 ; dtz 0\n",
		},
		{
			name: "an EPD with a right that cannot be", in: "8/8/8/8/8/4k3/8/4K3 w K - bm Kd1; id \"a\";\n",
			want: "8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n",
		},
		{
			name: "an EPD with an operation that cannot be", in: "8/8/8/8/8/4k3/8/4K3 w - - bm Kd1; id \"a;\n",
			want: "8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0 ; dtz 0\n",
		},
		{name: "a move behind a FEN", args: []string{"8/8/8/8/8/4k3/8/4K2R w - - 0 1 Rh3"}, want: "8/8/8/8/8/4k2R/8/4K3 b - - 1 1 ; wdl -2 ; dtz -28\n"},
		{name: "a line of UCI", args: strings.Fields("position fen 8/8/8/8/8/4k3/8/4K3 w - - 0 1 moves e1d1"), want: "8/8/8/8/8/4k3/8/3K4 b - - 1 1 ; wdl 0 ; dtz 0\n"},
		{name: "no move behind a FEN", args: []string{"8/8/8/8/8/4k3/8/4K2R w - - 0 1 x"}, want: "8/8/8/8/8/4k3/8/4K2R w - - 0 1 x ; error move \"x\": it names no square; only moves may follow a position\n", fails: "1 position could"},
		{name: "no FEN", args: []string{"hello"}, want: "hello ; error FEN placement: \"hello\" is no board, want eight ranks with slashes between them, then w or b (at byte 0)\n", fails: "1 position could"},
		{name: "no directory", args: []string{"--syzygy", "/nowhere/at/all"}, fails: "/nowhere/at/all"},
		{name: "verify a position", args: []string{"--verify", "8/8/8/8/8/4k3/8/4K3 w - - 0 1"}, fails: "without positions"},
		{name: "verify a line", args: []string{"--verify", "--line"}, fails: "without --line"},
		{name: "verify", args: []string{"--verify"}, want: "0 WDL and 0 DTZ files are intact\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := runTB(tt.args, strings.NewReader(tt.in), &out)
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("error %v, want %q", err, tt.fails)
			}
			if out.String() != tt.want {
				t.Errorf("printed\n%swant\n%s", out.String(), tt.want)
			}
		})
	}
}

// TestSuite prints the whole of syzygy.epd again.
func TestSuite(t *testing.T) {
	root := os.Getenv("TABULA_SHARED")
	if root == "" {
		root = "../../../shared"
	}
	dir, suite := filepath.Join(root, "data", "syzygy"), filepath.Join(root, "data", "syzygy.epd")
	want, err := os.ReadFile(suite)
	if err != nil {
		t.Skip("needs tables of four pieces in TABULA_SHARED: ", err)
	}
	var out bytes.Buffer
	if err := runTB([]string{"--syzygy", dir + ";"}, bytes.NewReader(want), &out); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Error("the output is not the suite")
	}
}

// endless is a line again and again.
type endless string

func (e endless) Read(b []byte) (int, error) { return copy(b, e), nil }

// TestTBFullDisk: lines that never end are read no more where nothing can be written.
func TestTBFullDisk(t *testing.T) {
	out, gone := io.Pipe()
	_ = out.Close()
	if err := runTB(nil, endless("8/8/8/4k3/8/8/8/KQ6 w - - 0 1\n"), gone); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}
