package test

import (
	"os"
	"regexp"
	"testing"
	"time"
)

// BenchmarkNewGame measures ucinewgame with a Hash of 1 GiB, from the command
// to the answer to the isready behind it. The first of a process is reported
// apart: the system first has to find the memory, which is lent when touched.
func BenchmarkNewGame(b *testing.B) {
	e, err := startEngine(b.TempDir(), os.Environ(), binary)
	if err != nil {
		b.Fatal(err)
	}
	defer e.kill()
	newGame := func() time.Duration {
		began := time.Now()
		for _, line := range []string{"ucinewgame", "isready"} {
			if err := e.send(line); err != nil {
				b.Fatal(err)
			}
		}
		ready, err := e.expect(regexp.MustCompile(`^readyok$`), patience)
		if err != nil {
			b.Fatal(err)
		}
		return ready.at.Sub(began)
	}
	if err := e.send("setoption name Hash value 1024"); err != nil {
		b.Fatal(err)
	}
	if _, err := e.expect(regexp.MustCompile(`^info string hash: 1024 MiB`), patience); err != nil {
		b.Fatal(err)
	}
	first := newGame()
	var longest, sum time.Duration
	n := 0
	for b.Loop() {
		took := newGame()
		longest, sum, n = max(longest, took), sum+took, n+1
	}
	b.ReportMetric(0, "ns/op") // said better in ms below
	b.ReportMetric(float64(first.Microseconds())/1e3, "first-ms/GiB")
	b.ReportMetric(float64(sum.Microseconds())/1e3/float64(n), "ms/GiB")
	b.ReportMetric(float64(longest.Microseconds())/1e3, "longest-ms/GiB")
}
