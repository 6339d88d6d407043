package attacks

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"
	"time"
)

type sf struct {
	in  io.Writer
	out *bufio.Scanner
}

func (s *sf) perft(fen string, depth int) float64 {
	fmt.Fprintf(s.in, "position fen %s\n", fen)
	start := time.Now()
	fmt.Fprintf(s.in, "go perft %d\n", depth)
	for s.out.Scan() {
		if strings.HasPrefix(s.out.Text(), "Nodes searched") {
			break
		}
	}
	return time.Since(start).Seconds()
}

var racers = map[string]func(*Frame, *Geometry, *Steps) uint64{}

func init() {
	for _, b := range backends {
		if b != nil {
			racers[b.path.String()] = b.leaves
		}
	}
}

func TestRace(t *testing.T) {
	which := os.Getenv("RACE")
	if which == "" {
		t.Skip()
	}
	cmd := exec.Command("/usr/games/stockfish")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	cmd.Start()
	s := &sf{in, bufio.NewScanner(out)}
	defer cmd.Process.Kill()
	for _, c := range []struct {
		fen   string
		depth int
	}{{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6}, {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5}} {
		f, g := mustParse(t, c.fen)
		ratios := map[string][]float64{}
		var sfn []float64
		mn := map[string][]float64{}
		for range 7 {
			sft := s.perft(c.fen, c.depth)
			for _, r := range strings.Split(which, ",") {
				var n uint64
				start := time.Now()
				n = perftTree(&f, &g, c.depth, racers[r])
				d := time.Since(start).Seconds()
				ratios[r] = append(ratios[r], sft/d)
				mn[r] = append(mn[r], float64(n)/1e6/d)
				if r == "magic" || len(sfn) == 0 {
					sfn = append(sfn, float64(n)/1e6/sft)
				}
			}
		}
		med := func(x []float64) float64 { sort.Float64s(x); return x[len(x)/2] }
		fmt.Printf("stockfish %.0f Mnps\n", med(sfn))
		for r := range ratios {
			fmt.Printf("  %-8s %.0f Mnps  ratio median %.2f [%.2f..%.2f]\n", r, med(mn[r]), med(ratios[r]), ratios[r][0], ratios[r][len(ratios[r])-1])
		}
	}
}
