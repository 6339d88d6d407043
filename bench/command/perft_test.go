package command

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
)

// TestPerftByTable counts published positions by a table, on one thread and two:
// trees in which boards come up again with another right, en-passant square or
// side to move.
func TestPerftByTable(t *testing.T) {
	for _, tt := range []struct {
		fen, depth, nodes string
	}{
		{chess.StartFEN, "6", "119060324 nodes"},
		{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "4", "4085603 nodes"},
		{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "5", "674624 nodes"},
		{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", "4", "422333 nodes"},
		{"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", "4", "422333 nodes"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "5", "7594526 nodes"},
	} {
		for _, threads := range []string{"1", "2"} {
			out, errOut, code := call(t, "perft", "--fen", tt.fen, "--depth", tt.depth, "--hash", "16", "--threads", threads)
			if code != 0 || !strings.Contains(out, tt.nodes) {
				t.Errorf("%s, depth %s, %s threads: exit code %d\n%s%s\nwant %s", tt.fen, tt.depth, threads, code, out, errOut, tt.nodes)
			}
		}
	}
}

func TestPerftResumes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "perft.state")
	// A state with one root move counted wrong on purpose: the resumed run has
	// to believe it and count the others.
	state := "tabula perft state 1\nfen " + chess.StartFEN + "\ndepth 3\na2a3 1000380\n"
	state += fmt.Sprintf("crc32 %08x\n", crc32.ChecksumIEEE([]byte(state)))
	if err := os.WriteFile(name, []byte(state), 0o666); err != nil {
		t.Fatal(err)
	}
	out, errOut, code := call(t, "perft", "--depth", "3", "--divide", "--state", name)
	if code != 0 || !strings.Contains(out, "a2a3: 1000380\n") || !strings.Contains(out, "1008902 nodes") ||
		!strings.Contains(out, "without 1000380 nodes kept") {
		t.Errorf("resumed: exit code %d\n%s%s", code, out, errOut)
	}
	after, err := os.ReadFile(name)
	if n := bytes.Count(after, []byte("\n")); err != nil || n != 3+20+1 {
		t.Errorf("after the run: %d lines, %v, want a head of 3, 20 root moves and a checksum\n%s", n, err, after)
	}
}

func TestPerftStateRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "perft.state")
	if _, errOut, code := call(t, "perft", "--depth", "2", "--state", name); code != 0 {
		t.Fatal(errOut)
	}
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]byte{
		"empty":         nil,
		"cut short":     good[:len(good)-1],
		"cut at a line": good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+1],
		"digit changed": bytes.Replace(good, []byte(" 20\n"), []byte(" 21\n"), 1),
		"byte flipped":  append([]byte{good[0] ^ 1}, good[1:]...),
		"garbage after": append(append([]byte{}, good...), "x\n"...),
	}
	for what, data := range cases {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, errOut, code := call(t, "perft", "--depth", "2", "--state", name); code != command.Failed || !strings.Contains(errOut, "damaged") {
			t.Errorf("%s: exit code %d, %q, want 1 and a word about damage", what, code, errOut)
		}
	}
	if err := os.WriteFile(name, good, 0o644); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		if _, errOut, code := call(t, "perft", "--depth", "2", "--state", "/dev/zero"); code != command.Usage || !strings.Contains(errOut, "not a regular file but a device") {
			t.Errorf("a device: exit code %d, %q", code, errOut)
		}
	}
	if _, errOut, code := call(t, "perft", "--depth", "3", "--state", name); code != command.Failed || !strings.Contains(errOut, "another perft") {
		t.Errorf("another depth: exit code %d, %q", code, errOut)
	}
}

func TestPerftInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "perft.state")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errOut bytes.Buffer
	code := run(ctx, []string{"bench", "perft", "--depth", "9", "--state", name}, &out, &errOut)
	if code != command.Interrupted || !strings.Contains(errOut.String(), "interrupted with 0 root moves of 20 kept in") || !strings.Contains(errOut.String(), name) {
		t.Errorf("exit code %d, %q", code, errOut.String())
	}
}
