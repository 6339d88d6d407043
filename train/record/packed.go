package record

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/tabula-chess/tabula/chess"
)

// PackedSize is the length of a packed position in bytes.
const PackedSize = 32

// Packed is a position in 32 bytes:
//
//	 0  occupied squares (8 bytes)
//	 8  a nibble for each occupied square in ascending order, low nibble first
//	    (16 bytes): kind 0 to 5 for p n b r q k, 6 for a rook that may castle,
//	    plus 8 for Black
//	24  en-passant square or 64 (7 bits), plus 128 where Black is to move
//	25  halfmove clock
//	26  fullmove number (2 bytes)
//	28  score, centipawns, White's view (2 bytes)
//	30  [HalfPoints]
//	31  unused
type Packed [PackedSize]byte

// HalfPoints is the result of a game in half points of White.
type HalfPoints uint8

// The three results.
const (
	BlackWins HalfPoints = iota
	Draw
	WhiteWins
)

// String returns the result as White's points: "0", "0.5" or "1".
func (r HalfPoints) String() string {
	switch r {
	case BlackWins:
		return "0"
	case Draw:
		return "0.5"
	case WhiteWins:
		return "1"
	}
	return "result " + strconv.Itoa(int(r))
}

// Offsets into a Packed.
const (
	atNibbles  = 8
	atSide     = 24
	atHalfmove = 25
	atFullmove = 26
	atScore    = 28
	atResult   = 30
)

// castlingRook is the kind of a rook that may castle.
const castlingRook = 6

// blackBit marks a black piece in a nibble.
const blackBit = 8

// Pack returns p with the result of its game and no score. It limits the halfmove clock to 255 and the move number
// to chess.MaxFullmoveNumber.
func Pack(p *chess.Position, r HalfPoints) Packed {
	var k Packed
	binary.LittleEndian.PutUint64(k[:], uint64(p.Occupied()))
	i := 0
	for s := range p.Occupied().Squares() {
		k[atNibbles+i/2] |= nibble(p, s) << (i % 2 * 4)
		i++
	}
	k[atSide] = byte(chess.NoSquare)
	if ep := p.EnPassant(); ep != chess.NoSquare {
		k[atSide] = byte(ep)
	}
	k[atSide] |= byte(p.SideToMove()) << 7
	k[atHalfmove] = byte(min(p.HalfmoveClock(), 255))
	binary.LittleEndian.PutUint16(k[atFullmove:], uint16(min(p.FullmoveNumber(), chess.MaxFullmoveNumber)))
	k[atResult] = byte(r)
	return k
}

// nibble returns the code of the piece on s.
func nibble(p *chess.Position, s chess.Square) byte {
	pc := p.Piece(s)
	code := byte(pc.Type())
	for w := chess.KingSide; w <= chess.QueenSide; w++ {
		if p.CastlingRook(pc.Color(), w) == s {
			code = castlingRook
		}
	}
	return code | byte(pc.Color())<<3
}

// nibbleAt returns the code of the i-th piece.
func (k *Packed) nibbleAt(i int) byte { return k[atNibbles+i/2] >> (i % 2 * 4) & 15 }

// Occupied returns the occupied squares.
func (k *Packed) Occupied() chess.Bitboard { return chess.Bitboard(binary.LittleEndian.Uint64(k[:])) }

// Result returns the result of the game.
func (k *Packed) Result() HalfPoints { return HalfPoints(k[atResult]) }

// Side returns the side to move.
func (k *Packed) Side() chess.Color { return chess.Color(k[atSide] >> 7) }

// Fullmove returns the number of the move, counted from 1; some writers store 0.
func (k *Packed) Fullmove() int { return int(binary.LittleEndian.Uint16(k[atFullmove:])) }

// Check returns an error for more than 32 pieces, for a piece code, result or en-passant square out of range, for a
// piece code without an occupied square, and unless each side has one king.
func (k *Packed) Check() error {
	occ := k.Occupied()
	if n := occ.Count(); n > 32 {
		return fmt.Errorf("start position: %d pieces, at most 32", n)
	}
	var kings [2]int
	i := 0
	for s := range occ.Squares() {
		code := k.nibbleAt(i)
		i++
		switch code & 7 {
		case 7:
			return fmt.Errorf("start position: unknown piece code %d on %s", code, s)
		case byte(chess.King):
			kings[code>>3]++
		}
	}
	for ; i < 2*(atSide-atNibbles); i++ {
		if code := k.nibbleAt(i); code != 0 {
			return fmt.Errorf("start position: piece code %d without an occupied square", code)
		}
	}
	if kings != [2]int{1, 1} {
		return fmt.Errorf("start position: %d white and %d black kings, want one each", kings[0], kings[1])
	}
	if k.Result() > WhiteWins {
		return fmt.Errorf("start position: result %d, want 0, 1 or 2", k.Result())
	}
	if ep := k[atSide] & 127; ep > byte(chess.NoSquare) {
		return fmt.Errorf("start position: en-passant square %d, want 0 to 64", ep)
	}
	return nil
}

// Position returns the position, or an error if it is illegal. Counters of 0 count as missing.
func (k *Packed) Position() (*chess.Position, error) {
	p := new(chess.Position)
	if err := k.Into(p); err != nil {
		return nil, err
	}
	return p, nil
}

// Into sets p to the position and reuses its memory.
func (k *Packed) Into(p *chess.Position) error {
	if err := k.Check(); err != nil {
		return err
	}
	s := k.setup()
	if err := s.Into(p); err != nil {
		return fmt.Errorf("start position: %w", err)
	}
	return nil
}

// setup returns the parts of the position, which Check has passed.
func (k *Packed) setup() chess.Setup {
	s := chess.Setup{Side: k.Side(), Halfmove: int(k[atHalfmove]), Fullmove: k.Fullmove()}
	i := 0
	for at := range k.Occupied().Squares() {
		code := k.nibbleAt(i)
		i++
		t := chess.PieceType(code & 7)
		if t == castlingRook {
			t = chess.Rook
			s.Castling |= at.Bitboard()
		}
		s.Put(chess.MakePiece(chess.Color(code/blackBit), t), at)
	}
	if ep := chess.Square(k[atSide] & 127); ep != chess.NoSquare {
		s.EnPassant = ep.Bitboard()
	}
	return s
}
