package chess_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

func ExampleParseFEN() {
	p, err := chess.ParseFEN("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.SideToMove(), "to move, in check:", p.InCheck())

	_, err = chess.ParseFEN("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w KQkq - 0 1")
	fmt.Println(err)
	// Output:
	// white to move, in check: false
	// FEN placement: white has 0 kings, want 1 (at byte 0)
}

// Play checks; use it for moves from outside.
func ExamplePosition_Play() {
	p := chess.NewPosition()
	for _, text := range []string{"e2e4", "e1g1"} {
		var m chess.Move
		err := m.UnmarshalText([]byte(text)) // as encoding/json does
		if err == nil {
			err = p.Play(m)
		}
		fmt.Println(text, errors.Is(err, chess.ErrIllegal), err)
	}
	// Output:
	// e2e4 false <nil>
	// e1g1 true move "e1g1": illegal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1
}

// PlayText is for games typed in by people.
func ExamplePosition_PlayText() {
	p := chess.NewPosition()
	if err := p.PlayText("1. f3 e5 2. g4 Qh4"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(p.LastMove(), p.Outcome())
	// Output: d8h4 checkmate
}

// Make trusts its caller; use it for moves that are known to be legal.
func ExamplePosition_Make() {
	p := chess.NewPosition()
	for _, text := range strings.Fields("e2e4 e7e5 g1f3") {
		m, err := p.ParseUCI(text) // checks
		if err != nil {
			fmt.Println(err)
			return
		}
		p.Make(m)
	}
	fmt.Println(p)
	p.Unmake()
	fmt.Println(p)
	// Output:
	// rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2
	// rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2
}

func ExamplePosition_ParseSAN() {
	p, err := chess.ParseFEN("6k1/8/8/8/8/8/K7/R6R w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := p.ParseSAN("Ra1d1") // more than it has to say
	fmt.Println(m, err)
	_, err = p.ParseSAN("Rd1") // less
	fmt.Println(err)
	// Output:
	// a1d1 <nil>
	// move "Rd1": ambiguous: a1d1 or h1d1 in 6k1/8/8/8/8/8/K7/R6R w - - 0 1
}

func ExamplePosition_SAN() {
	p, err := chess.ParseFEN("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := p.ParseUCI("e1c1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.SAN(m), p.UCI(m), m) // m by itself is king takes rook
	// Output: O-O-O+ e1c1 e1a1
}

func ExamplePosition_Outcome() {
	p := chess.NewPosition()
	for _, san := range strings.Fields("f3 e5 g4 Qh4#") {
		m, err := p.ParseSAN(san)
		if err != nil {
			fmt.Println(err)
			return
		}
		p.Make(m)
	}
	fmt.Println(p.Outcome(), p.Result())

	p, err := chess.ParseFEN("4k3/8/8/8/8/8/8/R3K3 w - - 100 80")
	if err != nil {
		fmt.Println(err)
		return
	}
	o := p.Outcome()
	fmt.Println(o, "may be claimed:", o.Claimable(), "over:", o.Over())
	// Output:
	// checkmate 0-1
	// fifty moves may be claimed: true over: false
}

func ExamplePosition_FormatFEN() {
	p, err := chess.ParseFEN("rk2r1r1/8/8/8/4P3/8/8/RK2R1R1 b EAea e3 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.FEN()) // as read
	fmt.Println(p.FormatFEN(chess.FENStyle{EnPassant: chess.EnPassantLegal, Castling: chess.CastlingXFEN}))
	// Output:
	// rk2r1r1/8/8/8/4P3/8/8/RK2R1R1 b EAea e3 0 1
	// rk2r1r1/8/8/8/4P3/8/8/RK2R1R1 b EQeq - 0 1
}

func ExampleNewChess960() {
	for _, n := range []int{chess.StandardStart, 0} {
		p, err := chess.NewChess960(n)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p)
	}
	// Output:
	// rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
	// bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1
}

func ExampleParseEPD() {
	e, err := chess.ParseEPD(`6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8; id "back rank";`)
	if err != nil {
		fmt.Println(err)
		return
	}
	id, _ := e.Operands("id")
	best, err := e.Moves("bm")
	fmt.Println(id, best, err)
	// Output: [back rank] [a1a8] <nil>
}

func ExampleEPDs() {
	suite := strings.NewReader("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\nnonsense\n")
	for e, err := range chess.EPDs(suite) {
		if err != nil {
			fmt.Fprintln(os.Stdout, err)
			continue
		}
		for _, o := range e.Operations {
			fmt.Println(o.Opcode, o.Operands[0])
		}
	}
	// Output:
	// D1 20
	// D2 400
	// line 2: FEN placement: "nonsense" is no board, want eight ranks with slashes between them, then w or b (at byte 0)
}

// A position made without text, and taken apart again.
func ExampleSetup() {
	s := chess.Setup{Castling: chess.A1.Bitboard(), Fullmove: 30}
	s.Put(chess.MakePiece(chess.White, chess.King), chess.E1)
	s.Put(chess.MakePiece(chess.White, chess.Rook), chess.A1, chess.H1)
	s.Put(chess.MakePiece(chess.Black, chess.King), chess.G8)
	p, err := s.Position()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p, p.Setup() == s)

	s.Put(chess.MakePiece(chess.White, chess.Pawn), chess.B8)
	_, err = s.Position()
	fmt.Println(err)
	// Output:
	// 6k1/8/8/8/8/8/8/R3K2R w Q - 0 30 true
	// position placement: pawn on b8
}

func ExamplePosition_SANLine() {
	p, err := chess.ParseFEN("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 3")
	if err != nil {
		fmt.Println(err)
		return
	}
	line, err := p.SANLine([]chess.Move{
		chess.NewMove(chess.D2, chess.D3, chess.Normal),
		chess.NewMove(chess.F8, chess.C5, chess.Normal),
		chess.NewMove(chess.F3, chess.F7, chess.Normal),
	})
	fmt.Println(line, err)
	// Output: 3. d3 Bc5 4. Qxf7# <nil>
}

func ExampleDiagram() {
	p := chess.NewPosition()
	fmt.Print(chess.Diagram{Bottom: chess.Black, Bare: true}.Unicode(p))

	picture := chess.Diagram{
		Marks:  []chess.Mark{{Square: chess.E4, Paint: "gold"}},
		Arrows: []chess.Arrow{{From: chess.E2, To: chess.E4}},
	}
	fmt.Println(strings.HasPrefix(picture.SVG(p), "<svg"))
	// Output:
	// ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖
	// ♙ ♙ ♙ ♙ ♙ ♙ ♙ ♙
	// · · · · · · · ·
	// · · · · · · · ·
	// · · · · · · · ·
	// · · · · · · · ·
	// ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟
	// ♜ ♞ ♝ ♚ ♛ ♝ ♞ ♜
	// true
}

// Positions, moves, squares and the rest are text in JSON, flags and the like.
func ExampleMove_UnmarshalText() {
	var saved struct {
		Position *chess.Position
		Move     chess.Move
	}
	const text = `{"Position": "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "Move": "e1g1"}`
	if err := json.Unmarshal([]byte(text), &saved); err != nil {
		fmt.Println(err)
		return
	}
	m := saved.Position.Infer(saved.Move)
	fmt.Println(saved.Position.SAN(m), m.Kind() == chess.Castling, saved.Position.Play(m))
	// Output: O-O true <nil>
}
