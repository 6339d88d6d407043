package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// class returns what all mirror images of a position, and all orders of like
// pieces, have in common.
func class(pieces []Code, squares []uint8, pawns bool) string {
	best := ""
	for image := range 8 {
		if pawns && image > 1 {
			break
		}
		var men []string
		for i, s := range squares {
			if image&1 != 0 {
				s ^= 7
			}
			if image&2 != 0 {
				s ^= 56
			}
			if image&4 != 0 {
				s = s&7<<3 | s>>3
			}
			men = append(men, string([]byte{byte(pieces[i]), s}))
		}
		slices.Sort(men)
		if text := fmt.Sprint(men); best == "" || text < best {
			best = text
		}
	}
	return best
}

// TestNumbering numbers random positions: different ones get different numbers,
// mirror images and orders of like pieces the same, and none is beyond the size.
func TestNumbering(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name string
		size uint64 // of all files
	}{
		{"KQvK", 31332}, {"KPvK", 4 * 6 * 63 * 62}, {"KNvKN", 31332 * 61}, {"KNNvK", 462 * 62 * 61 / 2},
		{"KPvKP", 4 * 6 * 47 * 62 * 61}, {"KPPvK", 0}, {"KRPvK", 4 * 6 * 63 * 62 * 61}, {"KPPPvKP", 0}, {"KNNvKNN", 0},
		{"KNvKPP", 0}, {"KQQQvK", 0}, {"KRRvKB", 0}, {"KPPPPvK", 0},
	} {
		m, err := ParseMaterial(tt.name)
		kit.Succeed(t, err)
		pieces := Pieces(m)
		orders := [][2]int{{0, 15}, {1, 15}}
		if _, pawns := m.LeadingPawns(); pawns[1] > 0 {
			orders = [][2]int{{0, 1}, {1, 0}, {2, 0}}
		}
		if m.Pieces() == 3 && m.Pawns() == 0 {
			orders = orders[:1]
		}
		for _, order := range orders {
			var parts [4]*Layout
			size := uint64(0)
			for file := range m.Files() {
				if parts[file], err = New(m, pieces, order, file); err != nil {
					t.Fatalf("%s, order %v: %v", tt.name, order, err)
				}
				size += parts[file].Size
			}
			if tt.size != 0 && size != tt.size {
				t.Errorf("%s: %d numbers, want %d", tt.name, size, tt.size)
			}
			checkNumbers(t, r, tt.name, pieces, parts)
		}
	}
}

func checkNumbers(t *testing.T, r *rand.Rand, name string, pieces []Code, parts [4]*Layout) {
	t.Helper()
	numbers, classes := map[string]string{}, map[string]string{}
	pawns, board := parts[0].Pawns[0], r.Perm(64)
	for range 8_000 {
		var s [MaxPieces]uint8
		legal := true
		for i, p := range pieces {
			j := i + r.IntN(64-i)
			board[i], board[j] = board[j], board[i]
			s[i] = uint8(board[i])
			legal = legal && (p.Type() != chess.Pawn || s[i] > 7 && s[i] < 56)
		}
		white, black := slices.Index(pieces, MakeCode(chess.White, chess.King)), slices.Index(pieces, MakeCode(chess.Black, chess.King))
		if !legal || near(int(s[white]), int(s[black])) {
			continue
		}
		if lead := s[:parts[0].group[0]]; pawns == 0 && len(pieces) > len(lead) && onDiagonal(lead) {
			continue // the leading group is its own image, and the others have two numbers
		}
		c, file := class(pieces, s[:len(pieces)], pawns > 0), 0
		if pawns > 0 {
			file = Lead(&s, pawns)
			if slices.Contains(s[1:pawns], s[0]^7) {
				continue // the same for leading pawns
			}
		}
		index := parts[file].Index(&s)
		if index >= parts[file].Size {
			t.Fatalf("%s: number %d of %d", name, index, parts[file].Size)
		}
		n := fmt.Sprint(file, index)
		if other, ok := classes[n]; ok && other != c {
			t.Fatalf("%s: %q and %q both have number %s", name, c, other, n)
		}
		if other, ok := numbers[c]; ok && other != n {
			t.Fatalf("%s: %q has the numbers %s and %s", name, c, n, other)
		}
		classes[n], numbers[c] = c, n
		// Every image has the same number.
		images := []func(uint8) uint8{
			func(s uint8) uint8 { return s ^ 7 },
			func(s uint8) uint8 { return s ^ 56 },
			func(s uint8) uint8 { return s&7<<3 | s>>3 },
		}
		if pawns > 0 {
			images = images[:1]
		}
		image := images[r.IntN(len(images))]
		for i := range pieces {
			s[i] = image(uint8(board[i]))
		}
		if file = 0; pawns > 0 {
			file = Lead(&s, pawns)
		}
		if again := fmt.Sprint(file, parts[file].Index(&s)); again != n {
			t.Fatalf("%s: %q has number %s, a mirror image %s", name, c, n, again)
		}
	}
}

// onDiagonal reports whether all squares lie on one of the long diagonals.
func onDiagonal(squares []uint8) bool {
	one, other := true, true
	for _, s := range squares {
		one, other = one && s>>3 == s&7, other && s>>3 == 7-s&7
	}
	return one || other
}

// TestNewRefuses gives New pieces and orders that cannot be.
func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pieces []Code
		order  [2]int
		want   string // empty where all is well
	}{
		{"KQvK", []Code{6, 14, 5}, [2]int{0, 15}, ""},
		{"KQvK", []Code{5, 14, 6}, [2]int{0, 15}, ""},
		{"KQvK", []Code{6, 14}, [2]int{0, 15}, "its pieces are not those of its name"},
		{"KQvK", []Code{6, 14, 4}, [2]int{0, 15}, "its pieces are not those of its name"},
		{"KQvK", []Code{6, 6, 5}, [2]int{0, 15}, "its pieces are not those of its name"},
		{"KQvK", []Code{6, 14, 0}, [2]int{0, 15}, "piece 2 has the unknown code 0"},
		{"KQvK", []Code{6, 14, 7}, [2]int{0, 15}, "piece 2 has the unknown code 7"},
		{"KQvK", []Code{6, 14, 21}, [2]int{0, 15}, "piece 2 has the unknown code 21"},
		{"KQvK", []Code{6, 14, 5}, [2]int{1, 15}, "its groups are in the impossible order [1 15]"},
		{"KPvK", []Code{6, 1, 14}, [2]int{0, 15}, "its pawns do not come first"},
		{"KPvK", []Code{1, 14, 6}, [2]int{2, 15}, ""},
		{"KPvK", []Code{1, 14, 6}, [2]int{3, 15}, "its groups are in the impossible order [3 15]"},
		{"KPvKP", []Code{1, 9, 14, 6}, [2]int{0, 1}, ""},
		{"KPvKP", []Code{9, 1, 14, 6}, [2]int{3, 2}, ""},
		{"KPvKP", []Code{1, 14, 9, 6}, [2]int{0, 1}, "its pawns do not come first"},
		{"KPvKP", []Code{1, 9, 14, 6}, [2]int{1, 1}, "its groups are in the impossible order [1 1]"},
		{"KPvKP", []Code{1, 9, 14, 6}, [2]int{0, 4}, "its groups are in the impossible order [0 4]"},
		{"KNNvK", []Code{6, 14, 2, 2}, [2]int{0, 15}, ""},
		{"KNNvK", []Code{2, 2, 14, 6}, [2]int{0, 15}, "the pieces of its leading group are not single"},
		{"KNNvKQ", []Code{6, 14, 13, 2, 2}, [2]int{0, 15}, ""},
		{"KNNvKQ", []Code{6, 14, 2, 13, 2}, [2]int{0, 15}, "the pieces of its leading group are not single"},
		{"KNNNvKQ", []Code{13, 6, 14, 2, 2, 2}, [2]int{1, 15}, ""},
		{"KNNvKBB", []Code{6, 14, 2, 10, 2, 10}, [2]int{0, 15}, "its pieces are not those of its name"},
		{"KNNvKBB", []Code{6, 14, 2, 11, 2, 11}, [2]int{0, 15}, "like pieces do not stand together"},
	} {
		m, err := ParseMaterial(tt.name)
		kit.Succeed(t, err)
		got := ""
		if _, err := New(m, tt.pieces, tt.order, 0); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s, %v, order %v: error %q, want %q", tt.name, tt.pieces, tt.order, got, tt.want)
		}
	}
}

// TestMaterial reads names and names material.
func TestMaterial(t *testing.T) {
	for _, tt := range []struct {
		name, canonical string
		men, files      int
	}{
		{"KQvK", "KQvK", 3, 1}, {"KvKQ", "KQvK", 3, 1}, {"KQPvKR", "KQPvKR", 5, 4}, {"KRvKQ", "KQvKR", 4, 1},
		{"KNvKPP", "KPPvKN", 5, 4}, {"KQQQQQvK", "KQQQQQvK", 7, 1}, {"KPvKP", "KPvKP", 4, 4}, {"KvK", "KvK", 2, 1},
	} {
		m, err := ParseMaterial(tt.name)
		c, swapped := m.Canonical()
		if err != nil || m.String() != tt.name || c.String() != tt.canonical || swapped != (c != m) || m.Pieces() != tt.men || m.Files() != tt.files || m.Swap().Swap() != m {
			t.Errorf("%s: %s, canonical %s (%v), %d pieces, %d files (%v)", tt.name, m, c, swapped, m.Pieces(), m.Files(), err)
		}
	}
	for name, want := range map[string]string{
		"KQK": `ending "KQK": want a name such as KQvKR`, "QvK": `ending "QvK": each side begins with its king`,
		"KQQQQQQvK": `ending "KQQQQQQvK": more than 7 pieces`, "KXvK": `ending "KXvK": no piece is called 'X'`,
	} {
		if _, err := ParseMaterial(name); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	for men, want := range map[int]int{3: 5, 4: 30, 5: 110, 6: 365} {
		if all := Endings(men); len(all) != want {
			t.Errorf("%d endings of %d pieces, want %d", len(all), men, want)
		}
	}
}
