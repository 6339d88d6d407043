// Package wdl turns scores into win, draw and loss probabilities.
//
// The model is that of Stockfish's WDL_model project: a score x wins with probability
// 1/(1+exp((a-x)/b)) and loses with probability 1/(1+exp((a+x)/b)); the rest are draws.
// a, the score at which half the games are won, and b, the spread of results at equal
// scores, depend on the material. The numbers are fitted to games
// of the engine against itself by "go run ./train wdl", which writes zfitted.go.
// Source: official-stockfish/WDL_model.
//
// The fitted numbers change with networks.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/eval/wdl"
//	)
//
//	func main() {
//		c := wdl.Of(300, wdl.Material(chess.NewPosition()))
//		fmt.Println(c.Win > c.Draw, c.Expected() > 0.5)
//		// Output: true true
//	}
package wdl

import (
	"math"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// Chances are the chances of a result in thousandths. They sum to 1000.
type Chances struct {
	Win, Draw, Loss int
}

// Expected returns the expected score, 0 to 1: wins plus half the draws.
func (c Chances) Expected() float64 { return (float64(c.Win) + float64(c.Draw)/2) / 1000 }

// Flip returns the chances of the other side.
func (c Chances) Flip() Chances { return Chances{c.Loss, c.Draw, c.Win} }

// Bounds of the material that a model tells apart: fewer men count as the one,
// more as the other.
const (
	LeastMaterial = 17
	MostMaterial  = 78
)

// Unit is the material at which the variable of the polynomials of a [Model] is 1.
const Unit = 58

// Material returns the men of both sides, pawns as 1, knights and bishops as 3,
// rooks as 5 and queens as 9: 78 at the start of a game.
func Material(p *chess.Position) int {
	return p.ByType(chess.Pawn).Count() + 3*(p.ByType(chess.Knight)|p.ByType(chess.Bishop)).Count() +
		5*p.ByType(chess.Rook).Count() + 9*p.ByType(chess.Queen).Count()
}

// Model is the numbers of the model: a and b in centipawns as polynomials of the
// material over 58, the coefficient of the lowest power first.
type Model struct {
	A, B [3]float64
}

// Fitted returns the model that [Of] uses.
func Fitted() Model { return fitted }

// At returns a and b for the given material.
func (m *Model) At(material int) (a, b float64) {
	x := float64(max(LeastMaterial, min(MostMaterial, material))) / Unit
	return polynomial(&m.A, x), polynomial(&m.B, x)
}

// polynomial returns the value of the polynomial c at x, the same on every
// processor: no product is fused with a sum.
func polynomial(c *[3]float64, x float64) float64 {
	return c[0] + float64(x*(c[1]+float64(x*c[2])))
}

// Shares returns the model's probabilities for a score, which sum to 1.
func (m *Model) Shares(s eval.Score, material int) (win, draw, loss float64) {
	a, b := m.At(material)
	win = Sigmoid((float64(s) - a) / b)
	loss = Sigmoid((-float64(s) - a) / b)
	return win, 1 - win - loss, loss
}

// Of returns the chances of the side whose score is s, with the given [Material] on
// the board. Scores beyond [eval.Limit], mates and the wins and losses that
// endgame tables know, are certain.
func Of(s eval.Score, material int) Chances {
	switch {
	case s > eval.Limit:
		return Chances{Win: 1000}
	case s < -eval.Limit:
		return Chances{Loss: 1000}
	}
	win, _, loss := fitted.Shares(s, material)
	c := Chances{Win: thousandths(win), Loss: thousandths(loss)}
	if c.Win+c.Loss > 1000 { // both were rounded up
		c.Loss = 1000 - c.Win
	}
	c.Draw = 1000 - c.Win - c.Loss
	return c
}

// thousandths rounds a part of 1.
func thousandths(part float64) int { return int(math.Round(part * 1000)) }
