package x88

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// copied is perft with a copy of the board for each move.
func (b *board) copied(depth int) uint64 {
	var buffer [256]move
	var after board // here, not in the loop, so that it stays on the stack
	nodes, inCheck := uint64(0), b.attacked(b.kings[b.side], 1-b.side)
	for _, m := range b.pseudo(buffer[:0]) {
		switch {
		case !b.legal(m, inCheck):
		case depth == 1:
			nodes++
		default:
			after = *b
			after.make(m)
			nodes += after.copied(depth - 1)
		}
	}
	return nodes
}

// played is perft as chapter 2 has it: each move is played and the king is tested, on the last ply too.
func (b *board) played(depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var buffer [256]move
	nodes := uint64(0)
	for _, m := range b.pseudo(buffer[:0]) {
		from, to, us := int(m.from), int(m.to), b.side
		home := b.kings[us]
		castles := from == home && (to-from == 2 || from-to == 2)
		u := b.make(m)
		if !b.attacked(b.kings[us], 1-us) &&
			(!castles || !b.attacked(from, 1-us) && !b.attacked((from+to)/2, 1-us)) {
			nodes += b.played(depth - 1)
		}
		b.unmake(m, u)
	}
	return nodes
}

// TestUnmake takes back every pseudo-legal move of the suite, two plies deep: the board is what it was.
func TestUnmake(t *testing.T) {
	for _, line := range kit.Suite(t, "published.epd") {
		for _, fen := range []string{line.FEN, kit.Mirror(line.FEN)} {
			b, err := read(fen)
			kit.Succeed(t, err)
			b.takeBack(t, fen, 2)
		}
	}
}

func (b *board) takeBack(t *testing.T, path string, depth int) {
	before := *b
	inCheck := b.attacked(b.kings[b.side], 1-b.side)
	for _, m := range b.pseudo(nil) {
		legal := b.legal(m, inCheck)
		if *b != before {
			t.Fatalf("%s: the test of %s has changed the board", path, m)
		}
		u := b.make(m)
		if legal && depth > 1 {
			b.takeBack(t, path+" "+m.String(), depth-1)
		}
		if b.unmake(m, u); *b != before {
			t.Fatalf("%s: after %s is taken back, the board is\n%v, want\n%v", path, m, *b, before)
		}
	}
}

// TestWays counts in the ways that BenchmarkPerft compares.
func TestWays(t *testing.T) {
	for _, line := range kit.Suite(t, "published.epd") {
		for name, count := range ways {
			b, err := read(line.FEN)
			kit.Succeed(t, err)
			depth := min(3, len(line.Counts))
			if n, want := count(&b, depth), line.Counts[depth-1]; n != want {
				t.Errorf("%s: %s: perft %d = %d, want %d", line.FEN, name, depth, n, want)
			}
		}
	}
}

var ways = map[string]func(b *board, depth int) uint64{
	"unmake": (*board).perft, "copy": (*board).copied, "played": (*board).played,
}

// TestPrint compares what Print writes with what the chapter shows, but for the times.
func TestPrint(t *testing.T) {
	var out bytes.Buffer
	kit.Succeed(t, Print(&out, chess.StartFEN, 5))
	times := regexp.MustCompile(` +[0-9.]+ s +[0-9.]+ M/s\n`)
	shown := regexp.MustCompile("(?s)x88/perft\n```\n\n```\n(.*?)```").FindSubmatch(kit.Read(t, "../../../docs/course/x88.md"))
	if shown == nil {
		t.Fatal("the chapter shows no output of perft")
	}
	if got, want := times.ReplaceAllString(out.String(), "\n"), times.ReplaceAllString(string(shown[1]), "\n"); got != want {
		t.Errorf("prints\n%swant\n%s", got, want)
	}
	if err := Print(&out, "8/8 w - -", 1); err == nil {
		t.Error("an invalid FEN is no error")
	}
}

// BenchmarkPerft counts with make and unmake, with copies, and with each move of the last ply played.
func BenchmarkPerft(b *testing.B) {
	for _, name := range []string{"unmake", "copy", "played"} {
		b.Run("by="+name, func(b *testing.B) {
			nodes, positions := uint64(0), kit.Suite(b, "published.epd")[:7]
			for b.Loop() {
				for _, p := range positions {
					board, _ := read(p.FEN)
					nodes += ways[name](&board, 3)
				}
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

// BenchmarkMake plays the moves of seven positions: on the board, which takes them back, and on copies.
func BenchmarkMake(b *testing.B) {
	for _, copies := range []bool{false, true} {
		b.Run(fmt.Sprintf("copy=%t", copies), func(b *testing.B) {
			var boards []board
			var lists [][]move
			moves := 0
			for _, p := range kit.Suite(b, "published.epd")[:7] {
				board, _ := read(p.FEN)
				boards, lists = append(boards, board), append(lists, board.pseudo(nil))
				moves += len(lists[len(lists)-1])
			}
			sum := 0
			for b.Loop() {
				for i := range boards {
					at := &boards[i]
					for _, m := range lists[i] {
						if copies {
							after := *at
							after.make(m)
							sum += after.kings[0]
						} else {
							u := at.make(m)
							sum += at.kings[0]
							at.unmake(m, u)
						}
					}
				}
			}
			if sum == 0 {
				b.Error("no moves")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*moves), "ns/move")
		})
	}
}
