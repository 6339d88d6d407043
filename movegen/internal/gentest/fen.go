package gentest

import (
	"strings"
	"testing"
)

func testFEN(t *testing.T, construct New) {
	for _, tc := range []struct{ fen, want string }{
		{StartFEN, StartFEN},
		{kiwipeteFEN, kiwipeteFEN},
		{"rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3", "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9"},
		{"8/8/8/8/8/5k2/8/5K1R b - - 99 120", "8/8/8/8/8/5k2/8/5K1R b - - 99 120"},
		{"4k3/8/8/8/8/8/8/4K3 w", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
		{"r3k3/8/8/8/8/8/8/4K3 b q", "r3k3/8/8/8/8/8/8/4K3 b q - 0 1"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"},
		{"  4k3/8/8/8/8/8/8/4K3\tw - - 17 ", "4k3/8/8/8/8/8/8/4K3 w - - 17 1"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
	} {
		if got := mustNew(t, construct, tc.fen).FEN(); got != tc.want {
			t.Errorf("New(%q).FEN() = %q, want %q", tc.fen, got, tc.want)
		}
	}
}

// testFENErrors asks for an error, not a panic, that names what is wrong.
func testFENErrors(t *testing.T, construct New) {
	const bare = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
	for _, tc := range []struct{ name, fen, want string }{
		{"empty", "", "fields"},
		{"one field", "4k3/8/8/8/8/8/8/4K3", "fields"},
		{"seven fields", bare + " x", "fields"},
		{"seven ranks", "4k3/8/8/8/8/8/4K3 w - - 0 1", "board"},
		{"nine ranks", "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", "board"},
		{"short rank", "4k3/8/8/8/7/8/8/4K3 w - - 0 1", "rank 4"},
		{"long rank by digit", "4k3/8/8/8/p8/8/8/4K3 w - - 0 1", "rank 4"},
		{"long rank by piece", "4k3/8/8/8/8p/8/8/4K3 w - - 0 1", "rank 4"},
		{"far too long rank", "4k3/8/8/8/8/8/8/4K3" + strings.Repeat("8", 50) + " w - - 0 1", "rank 1"},
		{"unknown letter", "4k3/8/8/8/4x3/8/8/4K3 w - - 0 1", "'x'"},
		{"digit nine", "4k3/8/8/8/9/8/8/4K3 w - - 0 1", "'9'"},
		{"digit zero", "4k3/8/8/8/08/8/8/4K3 w - - 0 1", "'0'"},
		{"no white king", "4k3/8/8/8/8/8/8/8 w - - 0 1", "White"},
		{"no black king", "8/8/8/8/8/8/8/4K3 w - - 0 1", "Black"},
		{"two white kings", "4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "White"},
		{"two black kings", "k3k3/8/8/8/8/8/8/4K3 w - - 0 1", "Black"},
		{"too many pieces", "4k3/8/8/8/Q7/QQQQQQQQ/QQQQQQQQ/4K3 b - - 0 1", "White"},
		{"pawn on first rank", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "a1"},
		{"pawn on last rank", "4k2p/8/8/8/8/8/8/4K3 w - - 0 1", "h8"},
		{"side", "4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side"},
		{"side not to move in check", "4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "in check"},
		{"kings touch", "8/8/8/8/8/8/4k3/4K3 w - - 0 1", "in check"},
		{"castling letter", "r3k2r/8/8/8/8/8/8/R3K2R w KX - 0 1", "castling"},
		{"castling digit", "r3k2r/8/8/8/8/8/8/R3K2R w 1 - 0 1", "castling"},
		{"castling twice", "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1", "twice"},
		{"castling twice by both names", "r3k2r/8/8/8/8/8/8/R3K2R w KH - 0 1", "twice"},
		{"castling without rook", "4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "castling"},
		{"castling with an enemy rook", "4k3/8/8/8/8/8/8/R3K2r w K - 0 1", "castling"},
		{"black castling without rook", "r3k3/8/8/8/8/8/8/4K3 w k - 0 1", "castling"},
		{"Chess960 king", "4k3/8/8/8/8/8/8/R4K1R w K - 0 1", "Chess960"},
		{"Chess960 rook", "4k3/8/8/8/8/8/8/R3K1R1 w K - 0 1", "Chess960"},
		{"Shredder file", "4k3/8/8/8/8/8/8/1R2K2R w B - 0 1", "Chess960"},
		{"Shredder file for Black", "4k1r1/8/8/8/8/8/8/4K3 w g - 0 1", "Chess960"},
		{"en-passant text", "4k3/8/8/3pP3/8/8/8/4K3 w - d9 0 1", "en passant"},
		{"en-passant rank", "4k3/8/8/3pP3/8/8/8/4K3 w - d5 0 1", "en passant"},
		{"en passant of the side to move", "4k3/8/8/8/3P4/8/8/4K3 w - d3 0 1", "en passant"},
		{"en passant without pawn", "4k3/8/8/8/8/8/8/4K3 w - d6 0 1", "en passant"},
		{"en-passant square occupied", "4k3/8/3n4/3p4/8/8/8/4K3 w - d6 0 1", "en passant"},
		{"en-passant origin occupied", "4k3/3n4/8/3p4/8/8/8/4K3 w - d6 0 1", "en passant"},
		{"half-move clock", "4k3/8/8/8/8/8/8/4K3 w - - x 1", "half-move clock"},
		{"negative clock", "4k3/8/8/8/8/8/8/4K3 w - - -1 1", "half-move clock"},
		{"move number", "4k3/8/8/8/8/8/8/4K3 w - - 0 1.5", "move number"},
		{"huge move number", "4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999", "move number"},
	} {
		b, err := construct(tc.fen)
		if err == nil {
			t.Errorf("%s: New(%q) accepts it as %s", tc.name, tc.fen, b.FEN())
		} else if !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: New(%q) says %q, want a mention of %q", tc.name, tc.fen, err, tc.want)
		}
	}
	if _, err := construct(bare); err != nil {
		t.Errorf("New(%q): %v", bare, err)
	}
}
