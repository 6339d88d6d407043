package polyglot

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/pgn"
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
		if got := Key(testkit.Position(t, tt.fen)); got != tt.key {
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
		p := testkit.Position(t, tt.fen)
		without := testkit.Position(t, strings.Replace(tt.fen, " "+p.EnPassant().String()+" ", " - ", 1))
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
		p := testkit.Position(t, tt.fen)
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

const games = `[Event "a"]
[Result "1-0"]

1. e4 e5 2. Nf3 (2. f4) Nc6 1-0

[Event "b"]
[Result "1/2-1/2"]

1. e4 c5 1/2-1/2

[Event "c"]
[Result "0-1"]

1. Nf3 d5 2. d4 0-1

[Event "d: another order"]
[Result "*"]

1. d4 d5 2. Nf3 -- 3. c4 *
`

// tree returns the tree of some games.
func tree(t *testing.T, maxPlies int) *Tree {
	t.Helper()
	tree := &Tree{MaxPlies: maxPlies}
	for g, err := range pgn.NewReader(strings.NewReader(games)).Games() {
		if err == nil {
			err = tree.Add(g)
		}
		testkit.Succeed(t, err)
	}
	return tree
}

// said writes what was played as text.
func said(p *chess.Position, moves []Played) (text []string) {
	for _, s := range moves {
		text = append(text, strings.Join([]string{p.SAN(s.Move), strings.Repeat("+", s.WhiteWins) + strings.Repeat("=", s.Draws) + strings.Repeat("-", s.BlackWins) + strings.Repeat("*", s.Games-s.WhiteWins-s.Draws-s.BlackWins)}, " "))
	}
	return text
}

func TestTree(t *testing.T) {
	p := chess.NewPosition()
	if d := cmp.Diff([]string{"e4 +=", "Nf3 -", "d4 *"}, said(p, tree(t, 0).Moves(p))); d != "" {
		t.Errorf("start (-want +got):\n%s", d)
	}
	// Two orders of moves meet: 1. Nf3 d5 2. d4 and 1. d4 d5 2. Nf3.
	met := testkit.Position(t, "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2")
	if d := cmp.Diff([]string{"Nf3 *"}, said(met, tree(t, 0).Moves(met))); d != "" {
		t.Errorf("after d4 d5 (-want +got):\n%s", d)
	}
	if deep, shallow := tree(t, 0).Positions(), tree(t, 1).Positions(); deep <= shallow || shallow != 1 {
		t.Errorf("%d positions without a bound, %d within one ply, want more and 1", deep, shallow)
	}
	var empty Tree
	if moves := empty.Moves(p); moves != nil || empty.Positions() != 0 {
		t.Errorf("an empty tree knows %v", moves)
	}
	e4 := Played{Move: chess.NewMove(12, 28, chess.Normal), Games: 14, WhiteWins: 5, Draws: 3, BlackWins: 2}
	for _, one := range []Played{e4, e4, {Games: 1}, {Move: chess.NewMove(12, 36, chess.Normal), Games: 1}} {
		empty.AddMove(p, one)
	}
	want := Played{Move: e4.Move, Games: 28, WhiteWins: 10, Draws: 6, BlackWins: 4}
	if moves := empty.Moves(p); len(moves) != 1 || moves[0] != want {
		t.Errorf("a move added twice, beside one that is none and an illegal one: %+v, want %+v", moves, want)
	}
	bad := &pgn.Game{Main: pgn.Line{Moves: []pgn.Node{{Move: chess.NewMove(12, 36, chess.Normal)}}}}
	if err := empty.Add(bad); !errors.Is(err, chess.ErrIllegal) {
		t.Errorf("an illegal move: %v, want %v", err, chess.ErrIllegal)
	}
}

func TestWriteBook(t *testing.T) {
	p := chess.NewPosition()
	after := p.Clone()
	after.Make(chess.NewMove(12, 28, chess.Normal))
	var out bytes.Buffer
	testkit.Succeed(t, tree(t, 0).WriteBook(&out))
	b, err := NewBook(bytes.NewReader(out.Bytes()), int64(out.Len()))
	testkit.Succeed(t, err)
	for range b.Entries() {
	}
	for _, tt := range []struct {
		p    *chess.Position
		want map[string]uint16
	}{
		{p, map[string]uint16{"e4": 3, "d4": 1}},
		{after, map[string]uint16{"c5": 1}},
	} {
		moves, err := b.Moves(tt.p)
		testkit.Succeed(t, err)
		got := map[string]uint16{}
		for i, m := range moves {
			got[tt.p.SAN(m.Move)] = m.Weight
			if i > 0 && m.Weight > moves[i-1].Weight {
				t.Errorf("%v are not in order", moves)
			}
		}
		if !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.p.FEN(), got, tt.want)
		}
	}
}

// TestHeavyMoves: weights that do not fit are made smaller together.
func TestHeavyMoves(t *testing.T) {
	moves := []Played{{Move: 1, Games: 100_000, WhiteWins: 100_000}, {Move: 2, Games: 50_000, WhiteWins: 50_000}}
	got := entries(1, moves)
	if len(got) != 2 || got[0].Weight != 65535 || got[1].Weight != 32767 {
		t.Errorf("%+v, want weights 65535 and 32767", got)
	}
}

func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "book.bin")
	var out bytes.Buffer
	testkit.Succeed(t, tree(t, 0).WriteBook(&out))
	testkit.Write(t, name, out.Bytes())
	b, err := Open(name)
	testkit.Succeed(t, err)
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
	if m, ok, err := b.Pick(testkit.Position(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1"), nil); ok || err != nil {
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
	var bad *BookError
	testkit.Write(t, name, out.Bytes()[:17])
	if _, err := Open(name); !errors.As(err, &bad) || bad.Offset != 17 {
		t.Errorf("17 bytes: %v, want a BookError at byte 17", err)
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
		testkit.Succeed(t, err)
		if found, err := b.Find(0); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("entry %d cannot be read: %v, %v", i, found, err)
		}
	}
	if _, err := NewBook(bytes.NewReader(nil), -entrySize); err == nil {
		t.Error("a book of a negative size")
	}
}

// TestDisorder: a file whose keys are not in order is told as such.
func TestDisorder(t *testing.T) {
	raw := make([]byte, 2*entrySize)
	raw[0] = 1
	b, err := NewBook(bytes.NewReader(raw), int64(len(raw)))
	testkit.Succeed(t, err)
	var bad *BookError
	for _, err = range b.Entries() {
	}
	if !errors.As(err, &bad) || bad.Offset != entrySize {
		t.Errorf("%v, want a BookError at byte %d", err, entrySize)
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
		testkit.Succeed(t, err)
		for _, m := range moves {
			if !p.IsLegal(m.Move) {
				t.Errorf("move %v is not legal", m.Move)
			}
		}
	})
}
