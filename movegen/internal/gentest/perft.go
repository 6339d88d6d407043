package gentest

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/tabula-chess/tabula/chess"
)

// published holds positions with counts for depths 1, 2, …. The first six are
// CPW "Perft Results" positions 1 to 6; the others are the special cases of
// Martin Sedlak's list (talkchess, "perft test positions", 2009), each made
// for one rule, but for the pin on the diagonal: the list's own no game can
// reach, and the counts of the one here are those of Stockfish 15.1.
var published = []struct {
	name, fen string
	counts    []uint64
}{
	{"start", chess.StartFEN, []uint64{20, 400, 8902, 197281, 4865609}},
	{"kiwipete", kiwipeteFEN, []uint64{48, 2039, 97862, 4085603}},
	{"position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		[]uint64{14, 191, 2812, 43238, 674624}},
	{"position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
		[]uint64{6, 264, 9467, 422333}},
	{"position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
		[]uint64{44, 1486, 62379, 2103487}},
	{"position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
		[]uint64{46, 2079, 89890, 3894594}},
	{"en passant pinned on the rank", "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
		[]uint64{18, 92, 1670, 10138, 185429, 1134888}},
	{"en passant pinned on the diagonal", "4k3/6b1/8/3pP3/8/8/1K6/8 w - d6 0 1",
		[]uint64{8, 88, 543, 6394, 41473, 518528}},
	{"en passant uncovers the bishop", "8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1",
		[]uint64{13, 102, 1266, 10276, 135655, 1015133}},
	{"en passant gives check", "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
		[]uint64{15, 126, 1928, 13931, 206379, 1440467}},
	{"short castling gives check", "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
		[]uint64{15, 66, 1198, 6399, 120330, 661072}},
	{"long castling gives check", "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
		[]uint64{16, 71, 1286, 7418, 141077, 803711}},
	{"castling rights lost", "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
		[]uint64{26, 1141, 27826, 1274206}},
	{"castling prevented", "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
		[]uint64{44, 1494, 50509, 1720476}},
	{"promotion out of check", "2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1",
		[]uint64{11, 133, 1442, 19174, 266199, 3821001}},
	{"discovered check", "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
		[]uint64{29, 165, 5160, 31961, 1004658}},
	{"promotion gives check", "4k3/1P6/8/8/8/8/K7/8 w - - 0 1",
		[]uint64{9, 40, 472, 2661, 38983, 217342}},
	{"underpromotion gives check", "8/P1k5/K7/8/8/8/8/8 w - - 0 1",
		[]uint64{6, 27, 273, 1329, 18135, 92683}},
	{"self stalemate", "K1k5/8/P7/8/8/8/8/8 w - - 0 1",
		[]uint64{2, 6, 13, 63, 382, 2217}},
	{"stalemate and checkmate", "8/k1P5/8/1K6/8/8/8/8 w - - 0 1",
		[]uint64{10, 25, 268, 926, 10857, 43261, 567584}},
	{"double check", "8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1",
		[]uint64{37, 183, 6559, 23527}},
}

// budget returns how large a count is worth checking.
func budget(short, long uint64) uint64 {
	if testing.Short() {
		return short
	}
	return long
}

func testPublished(t *testing.T, construct New) {
	limit := budget(100_000, 1_500_000)
	for _, tc := range published {
		for _, fen := range []string{tc.fen, mirror(tc.fen)} {
			checkPerft(t, construct, tc.name, fen, tc.counts, limit)
		}
	}
}

func checkPerft(t *testing.T, construct New, name, fen string, counts []uint64, limit uint64) {
	t.Helper()
	b := mustNew(t, construct, fen)
	for i, want := range counts {
		if want > limit {
			break
		}
		if got := b.Perft(i + 1); got != want {
			t.Errorf("%s: %s: Perft(%d) = %d, want %d", name, fen, i+1, got, want)
			return
		}
	}
	if got := fenOf(b); got != fen {
		t.Errorf("%s: %s: Perft left the board at %s", name, fen, got)
	}
}

// testSuites counts the shared suites, lines of "FEN ;D1 n ;D2 n …".
func testSuites(t *testing.T, construct New) {
	for _, suite := range []struct {
		file  string
		limit uint64
	}{
		{"tricky.epd", budget(100_000, 1_000_000)},
		{"standard.epd", budget(2_000, 30_000)},
	} {
		t.Run(suite.file, func(t *testing.T) {
			file, err := os.Open(filepath.Join(shared(t), "perft", suite.file))
			if err != nil {
				t.Skipf("shared perft suite is not here: %v", err)
			}
			defer file.Close()
			lines := bufio.NewScanner(file)
			positions := 0
			for lines.Scan() {
				fen, counts := parseSuite(t, lines.Text())
				checkPerft(t, construct, suite.file, fen, counts, suite.limit)
				positions++
			}
			if err := lines.Err(); err != nil || positions == 0 {
				t.Fatalf("%s: %d positions, error %v", suite.file, positions, err)
			}
		})
	}
}

// parseSuite splits a suite line into its FEN and the counts for depth 1, 2, ….
func parseSuite(t *testing.T, line string) (string, []uint64) {
	t.Helper()
	fen, rest, _ := strings.Cut(line, ";")
	var counts []uint64
	for i, field := range strings.Split(rest, ";") {
		depth, count, _ := strings.Cut(strings.TrimSpace(field), " ")
		n, err := strconv.ParseUint(count, 10, 64)
		if err != nil || depth != "D"+strconv.Itoa(i+1) {
			t.Fatalf("suite line %q: field %q, want D%d and a count", line, field, i+1)
		}
		counts = append(counts, n)
	}
	return strings.TrimSpace(fen), counts
}

// shared returns the folder of the shared test material: TABULA_SHARED, or
// the folder "shared" next to the module's root.
func shared(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("TABULA_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("shared perft suites are not here: no go.mod above the test")
		}
		dir = parent
	}
}

// mirror returns the twin of a FEN with the colours exchanged and the board
// turned top to bottom; it has the same counts.
func mirror(fen string) string {
	fields := strings.Fields(fen)
	rows := strings.Split(fields[0], "/")
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	fields[0] = strings.Map(swapCase, strings.Join(rows, "/"))
	fields[1] = map[string]string{"w": "b", "b": "w"}[fields[1]]
	castling := strings.Map(swapCase, fields[2])
	fields[2] = ""
	for _, letter := range "KQkq-" {
		if strings.ContainsRune(castling, letter) {
			fields[2] += string(letter)
		}
	}
	fields[3] = strings.NewReplacer("3", "6", "6", "3").Replace(fields[3])
	return strings.Join(fields, " ")
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
