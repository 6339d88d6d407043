package chess_test

import (
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
	m := chess.NewMove(chess.E1, chess.G1, chess.Normal)
	if err := p.Play(m); errors.Is(err, chess.ErrIllegal) {
		fmt.Println(err)
	}
	fmt.Println(p.Plies(), "moves played")
	// Output:
	// move "e1g1": illegal move
	// 0 moves played
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
	// line 2: FEN side: missing (at byte 8)
}
