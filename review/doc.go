// Package review looks over a whole game with a search: what each move cost, what
// would have been better, how a bad one is refuted, how accurately both sides
// played, and which moments make puzzles. [Game] reviews, a [Report] is what it
// found, as values with JSON names, and [Report.Annotate] writes that into the game.
//
// # Win probability
//
// A score becomes a chance of winning, draws counted half, by a logistic curve that
// is flatter than that of play between engines, for it is people's games that are
// reviewed: see [Score.Chance]. What a move loses is the chance of its side before
// it, with best play, less that after it. A loss of at least 0.05 is an inaccuracy,
// of 0.10 a mistake, of 0.15 a blunder. A mate counts as a chance of 1 or 0, so that
// what was won and stays won is no mistake; but who misses a mate in at most three
// moves has played inaccurately whatever else wins. A move without an alternative is
// not judged. There is no book: openings are judged like everything else.
//
// A move's accuracy is 100·e^(-4.5·loss): 80 at an inaccuracy, 64 at a mistake, 51 at
// a blunder. That of a side is the mean of two means over its moves: the harmonic
// one, which bad moves pull down, and one weighted by how much the chances moved
// about the move, so that moves count less where nothing was at stake. Source of the
// ideas: lichess.org/page/accuracy, whose constants are others.
//
// # How a game is searched
//
// Each position once, from the last to the first, so that the transposition table
// knows what came of a move when its position is searched. The value of a position
// is the search's, or that of the position after the move played where that turned
// out better or is what the search would play: values never contradict each other
// along the game. With a limit of depth or nodes and an engine of one thread the same game
// gives the same report on every machine.
//
// # Why a move was bad
//
// A mistake or blunder gets a [Why] where a search proves one: a claim about the tactic with which the answer to the
// move begins, or the better line. The claim is a value, of which its sentence is made. It is said only after a
// counterfactual search: one thing is changed, the position is searched again with the review's limits and an empty
// table, and at most a third of the loss may be left. What is changed is the key move: it is forbidden, and so are up
// to two others that lead to the same; of a piece that hangs, every capture of it. A lost defender is also put back.
// Where the mover stands better in the changed position than before the mistake, by more than that third, nothing is
// proved unless pieces are lost. A changed position that is illegal proves nothing.
//
// Searches of four times the nodes then confirm the claim: the move is still a mistake with at least two thirds of the
// loss, and of that at most a sixth is left, or a third after a mate. Nothing is said of other mistakes, which are
// most. The explanations come after all judgments and do not change them. docs/lab/README.md tells how many mistakes
// are explained, and how many claims survive still longer searches.
//
// Judgements depend on the search and change with it; JSON fields of a [Report] are added, and stay otherwise.
//
// # Example
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"strings"
//
//		"github.com/tabula-chess/tabula/pgn"
//		"github.com/tabula-chess/tabula/review"
//		"github.com/tabula-chess/tabula/search"
//	)
//
//	func main() {
//		g, err := pgn.NewReader(strings.NewReader("1. f3 e5 2. g4 Qh4# 0-1")).Read()
//		if err != nil {
//			panic(err)
//		}
//		engine, err := search.NewEngine(16) // MiB
//		if err != nil {
//			panic(err)
//		}
//		r, err := review.Game(context.Background(), engine, g, review.Options{Limits: review.Limits{Depth: 6}}, nil)
//		if err != nil {
//			panic(err)
//		}
//		fmt.Println(r.Moves[2].SAN, r.Moves[2].Judgment) // r.Annotate writes it into g
//		// Output: g4 blunder
//	}
package review
