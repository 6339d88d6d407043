package syzygy

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

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
	testkit.Succeed(t, err)
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
		testkit.Write(t, filepath.Join(dir, name+".rtbw"), constant(t, name, Draw+2))
	}
	tables := openTables(t, dir)
	for passant, want := range map[string]int{"d3": Loss, "-": Draw} {
		fen := "8/8/8/8/3Pp3/1Q2K3/8/k7 b - " + passant + " 0 1"
		for _, p := range both(t, fen) {
			if got, err := tables.WDL(p); err != nil || got != want {
				t.Errorf("%s: outcome %d (%v), want %d", p, got, err, want)
			}
		}
	}
}
