package syzygy

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// raw is an ending whose files hold random values, one byte each and not
// compressed. Probing must combine such values by the rules of chess and of the
// format as any others, so that a slow reference, written from
// docs/tablebases.md with the moves of package chess, can check it.
type raw struct {
	name   string
	m      layout.Material
	layout [2][2][4]*layout.Layout // by kind, side to move and file
	values [2][2][4][]byte
	maps   [4][]byte // of every DTZ part, indexed by outcome as the format orders them
	flags  byte      // of every DTZ part
}

// newRaw fills the tables of an ending with random values. flags are those of a
// DTZ part.
func newRaw(t *testing.T, name string, flags byte, r *rand.Rand) *raw {
	t.Helper()
	m, err := layout.ParseMaterial(name)
	if err != nil {
		t.Fatal(err)
	}
	w := &raw{name: name, m: m, flags: flags}
	var pieces []layout.Code
	lead, pawns := m.LeadingPawns()
	for i, c := range [2]chess.Color{lead, lead.Other()} {
		for range pawns[i] {
			pieces = append(pieces, layout.MakeCode(c, chess.Pawn))
		}
	}
	for p := chess.King; p > chess.Pawn; p-- {
		for c := chess.White; c <= chess.Black; c++ {
			for range m.Count(c, p) {
				pieces = append(pieces, layout.MakeCode(c, p))
			}
		}
	}
	for kind := range w.layout {
		for side := range w.sides(kind) {
			for file := range m.Files() {
				if side == 1 && !m.HasPawns() { // the sides may order their pieces differently
					pieces = append([]layout.Code{pieces[1], pieces[0]}, pieces[2:]...)
				}
				l, err := layout.New(m, pieces, w.order(side), file)
				if err != nil {
					t.Fatal(err)
				}
				w.layout[kind][side][file] = l
				w.values[kind][side][file] = make([]byte, l.Size)
				pattern := make([]byte, 65521) // a prime: no step of the numbering repeats it
				for i := range pattern {
					pattern[i] = byte(r.IntN([2]int{5, 50}[kind]))
				}
				for values := w.values[kind][side][file]; len(values) > 0; {
					values = values[copy(values, pattern):]
				}
			}
		}
	}
	for i := range w.maps {
		for v := range 50 {
			w.maps[i] = append(w.maps[i], byte(v*3+i))
		}
	}
	return w
}

// sides returns the number of sides to move that a file holds.
func (w *raw) sides(kind int) int {
	if kind == kindDTZ || w.m == w.m.Swap() {
		return 1
	}
	return 2
}

// order returns the places of the groups: for one side the leading group comes
// first, for the other second.
func (w *raw) order(side int) [2]int {
	if _, pawns := w.m.LeadingPawns(); pawns[1] > 0 {
		return [2]int{side, 1 - side}
	}
	return [2]int{side & min(1, w.m.Men()-3), 15}
}

// file returns the contents of a file. Blocks hold 2^15 codes of eight bits.
func (w *raw) file(kind int) []byte {
	data := append([]byte([2]string{magicWDL, magicDTZ}[kind]), byte(w.m.Men()<<4))
	if w.m != w.m.Swap() {
		data[4] |= headerSplit
	}
	if w.m.HasPawns() {
		data[4] |= headerPawns
	}
	align := func(n int) {
		for len(data)%n != 0 {
			data = append(data, 0)
		}
	}
	sides := w.sides(kind)
	for file := range w.m.Files() {
		for i := range w.m.Orders() {
			b := byte(w.order(0)[i])
			if sides == 2 {
				b |= byte(w.order(1)[i]) << 4
			}
			data = append(data, b)
		}
		for i := range w.m.Men() {
			b := byte(w.layout[kind][0][file].Pieces[i])
			if sides == 2 {
				b |= byte(w.layout[kind][1][file].Pieces[i]) << 4
			}
			data = append(data, b)
		}
	}
	align(2)
	var sparse, sizes, blocks []byte
	for file := range w.m.Files() {
		for side := range sides {
			values := w.values[kind][side][file]
			count := (len(values) + 1<<15 - 1) >> 15
			flags := byte(0)
			if kind == kindDTZ {
				flags = w.flags
			}
			data = append(data, flags, 15, 15, 0)
			data = binary.LittleEndian.AppendUint32(data, uint32(count))
			data = append(data, 8, 8, 0, 0, 0, 1) // codes of 8 bits; 256 symbols, each a value
			for v := range 256 {
				data = append(data, byte(v), 0xf0, 0xff)
			}
			for i := range count {
				sparse = binary.LittleEndian.AppendUint32(sparse, uint32(i))
				sparse = binary.LittleEndian.AppendUint16(sparse, 1<<14)
				sizes = binary.LittleEndian.AppendUint16(sizes, 1<<15-1)
			}
			blocks = append(append(blocks, values...), make([]byte, count<<15-len(values))...)
		}
	}
	for range w.m.Files() {
		if kind == kindWDL || w.flags&flagMapped == 0 {
			break
		}
		if w.flags&flagWide != 0 {
			align(2)
		}
		for _, m := range w.maps {
			if data = append(data, byte(len(m))); w.flags&flagWide == 0 {
				data = append(data, m...)
				continue
			}
			data = append(data, 0)
			for _, v := range m {
				data = binary.LittleEndian.AppendUint16(data, uint16(v)+256)
			}
		}
	}
	align(2)
	data = append(append(data, sparse...), sizes...)
	align(64)
	data = append(data, blocks...)
	for _, sum := range Checksum(data) {
		data = binary.LittleEndian.AppendUint64(data, sum)
	}
	return data
}

// world is the endings of a reference.
type world map[layout.Material]*raw

// newWorld writes the files of endings and opens them.
func newWorld(t *testing.T, endings ...*raw) (world, *Tables) {
	t.Helper()
	dir, w := t.TempDir(), world{}
	for _, e := range endings {
		w[e.m] = e
		for kind, suffix := range suffixes {
			if err := os.WriteFile(filepath.Join(dir, e.name+suffix), e.file(kind), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tables, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tables.Close() })
	return w, tables
}

// value returns the byte that a file holds for a position. stored is false
// where the file is of the other side to move.
func (w world) value(p *chess.Position, kind int) (e *raw, v byte, stored bool) {
	m := layout.Material(0)
	for s := range p.Occupied().Squares() {
		m += layout.Unit(p.Piece(s).Color(), p.Piece(s).Type())
	}
	side, flip := int(p.SideToMove()), chess.Square(0)
	if w[m] == nil || m == m.Swap() && side == 1 {
		m, side, flip = m.Swap(), side^1, 56
	}
	e = w[m]
	if stored = kind == kindWDL || m == m.Swap() || side == int(e.flags&flagBlack); !stored {
		return e, 0, false
	}
	if kind == kindDTZ {
		side = 0
	}
	var squares [layout.MaxMen]uint8
	n, file := 0, 0
	for _, code := range e.layout[kind][side][0].Pieces[:m.Men()] {
		color := code.Color()
		if flip != 0 {
			color = color.Other()
		}
		if n > 0 && e.layout[kind][side][0].Pieces[n-1] == code {
			n++
			continue // its square is there already
		}
		at := n
		for s := range p.Pieces(color, code.Type()).Squares() {
			squares[at] = uint8(s ^ flip)
			at++
		}
		n++
	}
	if pawns := e.layout[kind][side][0].Pawns[0]; pawns > 0 {
		file = layout.Lead(&squares, pawns)
	}
	return e, e.values[kind][side][file][e.layout[kind][side][file].Index(&squares)], true
}

// legal returns the legal moves, found by trying all.
func legal(p *chess.Position) []chess.Move {
	var moves []chess.Move
	for from := range p.ByColor(p.SideToMove()).Squares() {
		pawn := p.Piece(from).Type() == chess.Pawn
		for to := range chess.NoSquare {
			tries := []chess.Move{chess.NewMove(from, to, chess.Normal)}
			switch {
			case pawn && (to>>3 == 0 || to>>3 == 7):
				tries = tries[:0]
				for t := chess.Knight; t < chess.King; t++ {
					tries = append(tries, chess.NewPromotion(from, to, t))
				}
			case pawn && to == p.EnPassant() && from&7 != to&7:
				tries[0] = chess.NewMove(from, to, chess.EnPassant)
			}
			for _, m := range tries {
				if p.IsLegal(m) {
					moves = append(moves, m)
				}
			}
		}
	}
	return moves
}

// after returns what of says of p after a move.
func after(p *chess.Position, m chess.Move, of func(*chess.Position) int) int {
	p.Make(m)
	v := of(p)
	p.Unmake()
	return v
}

// wdl returns the outcome of p by the rules of the format: the best of the
// captures and the table, and where en passant is the only move what it leads
// to.
func (w world) wdl(p *chess.Position) int {
	if p.Occupied().Count() == 2 {
		return Draw
	}
	_, v, _ := w.value(p, kindWDL)
	best, moves := int(v)-2, legal(p)
	for _, m := range moves {
		if p.IsCapture(m) {
			best = max(best, -after(p, m, w.wdl))
		}
	}
	return best
}

// errDisagree is the reference's error of a win that no move keeps.
var errDisagree = errors.New("no move keeps the win")

// dtz returns the distance of p by the rules of the format.
func (w world) dtz(p *chess.Position) (int, error) {
	outcome := w.wdl(p)
	if outcome == Draw {
		return 0, nil
	}
	atOnce := map[int]int{Win: 1, CursedWin: 101, BlessedLoss: -101, Loss: -1}[outcome]
	passant, captured, moves := Loss-1, Loss-1, legal(p)
	for _, m := range moves {
		pawn := p.Piece(m.From()).Type() == chess.Pawn
		switch v := -after(p, m, w.wdl); {
		case outcome > 0 && (pawn || p.IsCapture(m)) && v == outcome:
			return atOnce, nil
		case m.Kind() == chess.EnPassant:
			passant = max(passant, v)
		case p.IsCapture(m):
			captured = max(captured, v)
		}
	}
	if _, v, _ := w.value(p, kindWDL); passant > max(captured, int(v)-2) {
		return atOnce, nil // nothing but en passant avoids worse
	}
	if e, v, stored := w.value(p, kindDTZ); stored {
		plies := int(v)
		if e.flags&flagMapped != 0 {
			plies = int(e.maps[map[int]int{Win: 0, Loss: 1, CursedWin: 2, BlessedLoss: 3}[outcome]][v])
			if e.flags&flagWide != 0 {
				plies += 256
			}
		}
		counted := map[int]byte{Win: flagWinPlies, Loss: flagLossPlies}[outcome]
		if e.flags&counted == 0 {
			plies *= 2
		}
		return atOnce + sign(outcome)*plies, nil
	}
	best := 1 << 20
	if outcome < 0 {
		best = atOnce
	}
	for _, m := range moves {
		if p.Piece(m.From()).Type() == chess.Pawn || p.IsCapture(m) {
			continue
		}
		p.Make(m)
		v, err := w.dtz(p)
		mate := p.InCheck() && !p.HasLegalMove()
		p.Unmake()
		switch {
		case err != nil:
			return 0, err
		case outcome < 0:
			best = min(best, -v-1)
		case v == -1 && mate:
			best = 1
		case v < 0:
			best = min(best, -v+1)
		}
	}
	if best == 1<<20 {
		return 0, errDisagree
	}
	return best, nil
}

// place returns a random legal position with the men of a name, the colours
// exchanged half the time, and an en-passant square where there can be one.
func place(r *rand.Rand, name string) (*chess.Position, bool) {
	var board [64]byte
	letters, squares := []byte(name), r.Perm(64)
	black := false
	swapped := r.IntN(2) == 1
	for _, l := range letters {
		if l == 'v' {
			black = true
			continue
		}
		s := squares[0]
		squares = squares[1:]
		if l == 'P' && (s < 8 || s > 55) {
			return nil, false
		}
		if black != swapped {
			l |= 0x20
		}
		board[s] = l
	}
	text := ""
	for rank := 7; rank >= 0; rank-- {
		for _, l := range board[rank*8 : rank*8+8] {
			if l == 0 {
				l = '1'
			}
			text += string(l)
		}
		if rank > 0 {
			text += "/"
		}
	}
	for empty := 8; empty > 1; empty-- {
		text = strings.ReplaceAll(text, strings.Repeat("1", empty), strconv.Itoa(empty))
	}
	text += " " + string("wb"[r.IntN(2)]) + " - "
	for s := range board {
		fen := ""
		switch {
		case board[s] == 'P' && s>>3 == 3 && board[s-8]|board[s-16] == 0:
			fen = chess.Square(s-8).String() + " 0 1"
		case board[s] == 'p' && s>>3 == 4 && board[s+8]|board[s+16] == 0:
			fen = chess.Square(s+8).String() + " 0 1"
		default:
			continue
		}
		if p, err := chess.ParseFEN(text + fen); err == nil && p.EnPassant() != chess.NoSquare && len(legal(p)) > 0 {
			return p, true
		}
	}
	p, err := chess.ParseFEN(text + "- 0 1")
	return p, err == nil
}

// TestRules compares probing with the reference in random positions.
func TestRules(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var three []*raw
	for i, name := range []string{"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"} {
		three = append(three, newRaw(t, name, []byte{0, flagBlack | flagMapped, flagWinPlies, flagLossPlies | flagBlack, flagMapped | flagWide}[i], r))
	}
	for _, tt := range []struct {
		name  string
		flags byte
		count int
	}{
		{"KQvK", 0, 300}, {"KRvK", 0, 300}, {"KPvK", 0, 300},
		{"KRvKN", flagMapped | flagBlack, 800}, {"KRvKR", flagWinPlies | flagMapped | flagWide, 600},
		{"KRRvK", flagBlack | flagLossPlies, 600}, {"KPvKP", flagMapped | flagLossPlies, 2500},
	} {
		endings := three
		if len(tt.name) > 4 {
			endings = append(endings[:5:5], newRaw(t, tt.name, tt.flags, r))
		}
		w, tables := newWorld(t, endings...)
		passant, late := 0, 0
		for n := 0; n < tt.count; {
			p, ok := place(r, tt.name)
			if !ok || p.ByType(chess.Pawn)&(chess.Rank2|chess.Rank7) != 0 && tt.name == "KPvKP" && n%4 != 0 {
				continue
			}
			n++
			if p.EnPassantLegal() {
				passant++
			}
			want := w.wdl(p)
			got, err := tables.WDL(p)
			if err != nil || got != want {
				t.Errorf("%s: outcome %d (%v), want %d", p.FEN(), got, err, want)
			}
			if want*want == 1 {
				late++
			}
			if tt.name == "KPvKP" && p.ByType(chess.Pawn)&(chess.Rank2|chess.Rank7) != 0 {
				continue // promotions lead to endings that are not there
			}
			d, wantErr := w.dtz(p)
			got, err = tables.DTZ(p)
			var bad *FileError
			if got != d || wantErr == nil && err != nil || wantErr != nil && !errors.As(err, &bad) {
				t.Errorf("%s: outcome %d, distance %d (%v), want %d (%v)", p.FEN(), want, got, err, d, wantErr)
			}
		}
		if late == 0 || tt.name == "KPvKP" && passant < 20 {
			t.Errorf("%s: %d cursed and blessed positions, %d with en passant", tt.name, late, passant)
		}
	}
}

// constant returns a WDL file all of whose positions have one value.
func constant(t *testing.T, name string, value byte) []byte {
	t.Helper()
	m, err := layout.ParseMaterial(name)
	if err != nil {
		t.Fatal(err)
	}
	data := append([]byte(magicWDL), byte(m.Men()<<4)|headerSplit|headerPawns)
	for range 4 {
		data = append(data, []byte{0, 0x11}[:m.Orders()]...)
		lead, pawns := m.LeadingPawns()
		for i, c := range [2]chess.Color{lead, lead.Other()} {
			for range pawns[i] {
				data = append(data, byte(layout.MakeCode(c, chess.Pawn))*0x11)
			}
		}
		for p := chess.King; p > chess.Pawn; p-- {
			for c := chess.White; c <= chess.Black; c++ {
				for range m.Count(c, p) {
					data = append(data, byte(layout.MakeCode(c, p))*0x11)
				}
			}
		}
	}
	data = append(data, make([]byte, len(data)&1)...)
	for range 8 {
		data = append(data, flagSingle, value)
	}
	data = append(data, make([]byte, -len(data)&63)...)
	for _, sum := range Checksum(data) {
		data = binary.LittleEndian.AppendUint64(data, sum)
	}
	return data
}

// TestOnlyEnPassant looks up a position without a legal move but en passant,
// which the table takes for stalemate: the queen then takes the pawn and wins.
func TestOnlyEnPassant(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"KQPvKP", "KQvKP"} {
		if err := os.WriteFile(filepath.Join(dir, name+".rtbw"), constant(t, name, Draw+2), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tables, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	for passant, want := range map[string]int{"d3": Loss, "-": Draw} {
		fen := "8/8/8/8/3Pp3/1Q2K3/8/k7 b - " + passant + " 0 1"
		for _, fen := range []string{fen, mirrored(t, fen)} {
			if got, err := tables.WDL(position(t, fen)); err != nil || got != want {
				t.Errorf("%s: outcome %d (%v), want %d", fen, got, err, want)
			}
		}
	}
}
