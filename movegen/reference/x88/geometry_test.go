package x88

import "testing"

// TestGeometry compares the table of differences with the moves of the pieces
// told by file and rank distance, for all pairs of squares.
func TestGeometry(t *testing.T) {
	g := newGeometry()
	for from := range 128 {
		for to := range 128 {
			if from&off != 0 || to&off != 0 {
				continue
			}
			files, ranks := to&7-from&7, to>>4-from>>4
			straight := (files == 0) != (ranks == 0)
			diagonal := files != 0 && (files == ranks || files == -ranks)
			want := map[piece]bool{
				pawn:            (files == 1 || files == -1) && ranks == 1,
				pawn | blackBit: (files == 1 || files == -1) && ranks == -1,
				knight:          files*files+ranks*ranks == 5,
				bishop:          diagonal,
				rook:            straight,
				queen:           straight || diagonal,
				king:            files*files+ranks*ranks == 1 || files*files*ranks*ranks == 1,
			}
			for kind := knight; kind <= king; kind++ {
				want[kind|blackBit] = want[kind]
			}
			for p, want := range want {
				if got := g.attacks(p, from, to); got != want {
					t.Errorf("piece %d from %v to %v: attacks %v, want %v", p, square(from), square(to), got, want)
				}
			}
			step := 0
			if straight || diagonal {
				step = sign(files) + 16*sign(ranks)
			}
			if got := g.toward(from, to); got != step {
				t.Errorf("step from %v to %v is %d, want %d", square(from), square(to), got, step)
			}
		}
	}
}

func sign(x int) int { return min(max(x, -1), 1) }

// TestOffBoard tries the mask on every step that a piece can take.
func TestOffBoard(t *testing.T) {
	for from := range 128 {
		if from&off != 0 {
			continue
		}
		for files := -2; files <= 2; files++ {
			for ranks := -2; ranks <= 2; ranks++ {
				file, rank := from&7+files, from>>4+ranks
				want := file < 0 || file > 7 || rank < 0 || rank > 7
				if to := from + files + 16*ranks; (to&off != 0) != want {
					t.Errorf("%v with %d files and %d ranks, index %#x: off the board %v, want %v",
						square(from), files, ranks, to, !want, want)
				}
			}
		}
	}
}
