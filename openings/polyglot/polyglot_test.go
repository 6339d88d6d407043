package polyglot

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestKey holds the keys that the description of the format gives as examples.
func TestKey(t *testing.T) {
	for _, tt := range []struct {
		fen string
		key uint64
	}{
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b96181691fc9c},
		{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c9b50fd114196},
		{"rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756b94461c50fb0},
		{"rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662fafb965db29d4},
		{"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a48b5a8e47ff78},
		{"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a607ca3f242c1},
		{"rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fdd303c946bdd9},
		{"rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c8123ea7b067637},
		{"rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f9b829b279560},
	} {
		if got := Key(kit.Position(t, tt.fen)); got != tt.key {
			t.Errorf("%s: key %#016x, want %#016x", tt.fen, got, tt.key)
		}
	}
}

// TestKeyEnPassant: a pawn beside counts though it is pinned, none does not.
func TestKeyEnPassant(t *testing.T) {
	for _, tt := range []struct {
		fen    string
		counts bool
	}{
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", true},
		{"4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", true}, // pinned: not legal
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - d6 0 1", false},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", true},
		{"4k3/8/8/8/P6p/8/8/4K3 b - a3 0 1", false}, // the edges do not touch
	} {
		p := kit.Position(t, tt.fen)
		without := kit.Position(t, strings.Replace(tt.fen, " "+p.EnPassant().String()+" ", " - ", 1))
		if counts := Key(p) != Key(without); counts != tt.counts {
			t.Errorf("%s: en passant counts: %v, want %v", tt.fen, counts, tt.counts)
		}
	}
}

func TestMoves(t *testing.T) {
	const castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
	for _, tt := range []struct {
		fen, san string
		raw      uint16
		written  bool // EncodeMove gives it back
	}{
		{chess.StartFEN, "e4", 28 | 12<<6, true},
		{castle, "O-O", 7 | 4<<6, true},
		{castle, "O-O-O", 0 | 4<<6, true},
		{castle, "O-O", 6 | 4<<6, false},
		{castle, "O-O-O", 2 | 4<<6, false},
		{"k7/8/8/8/8/8/6K1/4R3 w - - 0 1", "Rh1", 7 | 4<<6, true}, // a rook's e1h1 is no castling
		{"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q", 56 | 48<<6 | 4<<12, true},
		{"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=N", 56 | 48<<6 | 1<<12, true},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 43 | 36<<6, true},
		{"1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", "O-O", 6 | 4<<6, true},
	} {
		p := kit.Position(t, tt.fen)
		m, err := DecodeMove(p, tt.raw)
		if err != nil || p.SAN(m) != tt.san {
			t.Errorf("%s: %#x is %v, %v, want %s", tt.fen, tt.raw, m, err, tt.san)
			continue
		}
		if raw := EncodeMove(m); tt.written && raw != tt.raw {
			t.Errorf("%s: %s is written %#x, want %#x", tt.fen, tt.san, raw, tt.raw)
		}
	}
	for _, raw := range []uint16{0, 28<<6 | 12, 28 | 12<<6 | 4<<12, 28 | 12<<6 | 15<<12, 0xffff} {
		if m, err := DecodeMove(chess.NewPosition(), raw); err == nil {
			t.Errorf("%#x is read as %v", raw, m)
		}
	}
}

// built returns a book of the start: e4, d4, and a reply.
func built(t *testing.T) []byte {
	t.Helper()
	var b Builder
	p := chess.NewPosition()
	for text, weight := range map[string]int{"e4": 2, "d4": 1, "c4": 0} {
		b.Add(p, kit.Move(t, p, text), weight)
	}
	b.Add(p, kit.Move(t, p, "e4"), 1)
	for _, m := range []chess.Move{chess.NoMove, chess.NewMove(12, 36, chess.Normal)} {
		b.Add(p, m, 1)
	}
	after := kit.Position(t, chess.StartFEN, "e4")
	for text, weight := range map[string]int{"c5": 100_000, "e5": 50_000, "a5": 1} {
		b.Add(after, kit.Move(t, after, text), weight)
	}
	if n := b.Positions(); n != 2 {
		t.Errorf("%d positions, want 2", n)
	}
	var out bytes.Buffer
	kit.Succeed(t, b.WriteBook(&out))
	return out.Bytes()
}

func TestWriteBook(t *testing.T) {
	data := built(t)
	b, err := NewBook(bytes.NewReader(data), int64(len(data)))
	kit.Succeed(t, err)
	for moves, want := range map[string][]string{"": {"e4 3", "d4 1"}, "e4": {"c5 65535", "e5 32767"}} {
		p := kit.Position(t, chess.StartFEN, strings.Fields(moves)...)
		found, err := b.Moves(p)
		kit.Succeed(t, err)
		var got []string
		for _, m := range found {
			got = append(got, fmt.Sprint(p.SAN(m.Move), " ", m.Weight))
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %q: %v, want %v", moves, got, want)
		}
	}
}

// TestAddGame makes a book of games: two points for a win, one for a draw or no result.
func TestAddGame(t *testing.T) {
	const games = "1. e4 e5 2. Nf3 (2. f4) Nc6 1-0\n\n1. e4 c5 1/2-1/2\n\n1. Nf3 d5 2. d4 0-1\n\n1. d4 d5 2. Nf3 -- 3. c4 *\n"
	for plies, want := range map[int]string{0: "e4 3, d4 1, then Nf3 1", 2: "e4 3, d4 1"} {
		var b Builder
		for g, err := range pgn.NewReader(strings.NewReader(games)).Games() {
			kit.Succeed(t, err)
			b.AddGame(g, plies)
		}
		var out bytes.Buffer
		kit.Succeed(t, b.WriteBook(&out))
		book, err := NewBook(bytes.NewReader(out.Bytes()), int64(out.Len()))
		kit.Succeed(t, err)
		var got []string
		for _, p := range []*chess.Position{chess.NewPosition(), kit.Position(t, chess.StartFEN, "d4", "d5")} {
			moves, err := book.Moves(p)
			kit.Succeed(t, err)
			for _, m := range moves {
				got = append(got, fmt.Sprint(map[bool]string{true: "then "}[p.Plies() > 0], p.SAN(m.Move), " ", m.Weight))
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%d plies: %s, want %s", plies, text, want)
		}
	}
}

func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "book.bin")
	data := built(t)
	kit.Write(t, name, data)
	b, err := Open(name)
	kit.Succeed(t, err)
	p, drawn := chess.NewPosition(), map[string]int{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		m, ok, err := b.Pick(p, r)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		drawn[p.SAN(m)]++
	}
	if n := drawn["e4"]; n < 2850 || n > 3150 || drawn["d4"] != 4000-n {
		t.Errorf("drawn %v, want e4 three times as often as d4", drawn)
	}
	if m, ok, err := b.Pick(kit.Position(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1"), nil); ok || err != nil {
		t.Errorf("a position that is not in the book: %v, %v, %v", m, ok, err)
	}
	if _, ok, err := b.Pick(p, nil); !ok || err != nil {
		t.Errorf("Pick without a source: %v, %v", ok, err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Moves(p); err == nil {
		t.Error("a closed book answers")
	}
	if _, err := Open(name + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder is opened")
	}
	kit.Write(t, name, data[:17])
	if _, err := Open(name); err == nil || !strings.Contains(err.Error(), "17 bytes are no whole number") {
		t.Errorf("17 bytes: %v", err)
	}
}

// failsAt is a file that cannot be read at one place.
type failsAt struct {
	*bytes.Reader
	at int64
}

func (f failsAt) ReadAt(p []byte, at int64) (int, error) {
	if at == f.at {
		return 0, fs.ErrInvalid
	}
	return f.Reader.ReadAt(p, at)
}

// TestUnreadable: an entry that cannot be read is an error, wherever it is needed.
func TestUnreadable(t *testing.T) {
	raw := make([]byte, 3*entrySize) // three moves of one position
	for i := range 3 {
		b, err := NewBook(failsAt{bytes.NewReader(raw), int64(i) * entrySize}, int64(len(raw)))
		kit.Succeed(t, err)
		if found, err := b.Find(0); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("entry %d cannot be read: %v, %v", i, found, err)
		}
	}
	if _, err := NewBook(bytes.NewReader(nil), -entrySize); err == nil {
		t.Error("a book of a negative size")
	}
}

func FuzzBook(f *testing.F) {
	f.Add([]byte("0123456789abcdef"))
	p := chess.NewPosition()
	f.Fuzz(func(t *testing.T, data []byte) {
		for i := 0; i+entrySize <= len(data); i += entrySize {
			copy(data[i:], "\x46\x3b\x96\x18\x16\x91\xfc\x9c")
		}
		b, err := NewBook(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		moves, err := b.Moves(p)
		kit.Succeed(t, err)
		for _, m := range moves {
			if !p.IsLegal(m.Move) {
				t.Errorf("move %v is not legal", m.Move)
			}
		}
	})
}
