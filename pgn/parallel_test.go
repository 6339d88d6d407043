package pgn_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/pgn"
)

// outcome writes games and errors as text.
func outcome(games iter.Seq2[*pgn.Game, error]) (lines []string) {
	for g, err := range games {
		if bad, ok := errors.AsType[*pgn.Error](err); ok {
			lines = append(lines, fmt.Sprint(bad, " at byte ", bad.Offset))
		} else if err != nil {
			lines = append(lines, err.Error())
		} else {
			lines = append(lines, fmt.Sprint(g.Tags, whole(g), g.Warning))
		}
	}
	return lines
}

// bigFile makes a file of more than one part: good games and bad ones.
func bigFile() string {
	var b strings.Builder
	for i := 0; b.Len() < 5<<20; i++ {
		fmt.Fprintf(&b, "[Event \"%d\"]\n[Site \"x\"]\n\n", i)
		switch i % 1000 {
		case 1:
			b.WriteString("1. e5 *\n\n")
		case 2:
			b.WriteString("1. e4 {not closed\n\n")
		case 3:
			b.WriteString("1. e4 *\n\n{of the next game}\n")
		case 6:
			b.WriteString("1. e4, Resigns {[Event \"x\"]\n[Event \"y\"]\n} e5 1-0 {x}\n\n")
		case 4:
			b.WriteString("") // tags alone
		case 5:
			b.WriteString("1. d4 d5 1-0\n\n1. c4 0-1\n\n[White \"no event\"]\n\n1. f4 *\n\n")
		default:
			b.WriteString(strings.Repeat("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 {x}", 1) + " 1/2-1/2\n\n")
		}
	}
	return b.String()
}

// TestParallel: the same games and errors, in the same order.
func TestParallel(t *testing.T) {
	big := bigFile()
	unclosed := "1. e4 {\n\n" + strings.Repeat("[Event \"a\"]\n\n1. e4 e5 *\n\n", 1<<14) // a part of which no place is a cut
	noEvents := strings.ReplaceAll(big[:3<<20], "[Event ", "[Happening ")
	for name, text := range map[string]string{
		"big": big, "no events": noEvents, "traps": traps, "empty": "", "unclosed": unclosed, "Windows": strings.ReplaceAll(big[:2<<20], "\n", "\r\n"),
	} {
		want := outcome(pgn.NewReader(strings.NewReader(text)).Games())
		for _, workers := range []int{0, 1, 3} {
			if d := cmp.Diff(want, outcome(pgn.Parallel(strings.NewReader(text), workers))); d != "" {
				t.Errorf("%s, %d workers (-one after the other +parallel):\n%.2000s", name, workers, d)
			}
		}
	}
}

// TestParallelFails: an error of the source, which for a decoder may be that of an early end,
// comes behind the games before it.
func TestParallelFails(t *testing.T) {
	for _, broken := range []error{errors.New("broken"), io.ErrUnexpectedEOF} {
		for _, size := range []int{0, 100, 1 << 20} {
			src := func() io.Reader {
				return io.MultiReader(strings.NewReader(bigFile()[:size]), iotest.ErrReader(broken))
			}
			want := outcome(pgn.NewReader(src()).Games())
			if diff := cmp.Diff(want, outcome(pgn.Parallel(src(), 2))); diff != "" || want[len(want)-1] != broken.Error() {
				t.Errorf("%v behind %d bytes (-one after the other +parallel):\n%.2000s", broken, size, diff)
			}
		}
	}
}

// TestParallelStops: a loop that ends early leaves nothing running.
func TestParallelStops(t *testing.T) {
	before := runtime.NumGoroutine()
	text := bigFile()
	n := 0
	for range pgn.Parallel(strings.NewReader(text), 4) {
		if n++; n == 100 {
			break
		}
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
