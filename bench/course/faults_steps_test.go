package course

import (
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/examples/course/array"
)

// way is the stage of what stands in the way.
const way = "pieces in the way"

// ray returns the squares from one, which is excluded, to the first piece in a direction, which is included, and then
// those behind it to the next piece. A leaper has one square in front.
func (g *game) ray(kind byte, from int, d [2]int) (front, behind []int) {
	met := 0
	for n := 1; met < 2 && (n == 1 || slides(kind)); n++ {
		to, ok := array.Step(from, n*d[0], n*d[1])
		switch {
		case !ok:
			return front, behind
		case met == 0:
			front = append(front, to)
		default:
			behind = append(behind, to)
		}
		if g.Board[to] != '.' {
			met++
		}
	}
	return front, behind
}

// end returns the last square of a ray, such as its piece, and false for an empty ray.
func end(front []int) (square int, ok bool) {
	if len(front) == 0 {
		return 0, false
	}
	return front[len(front)-1], true
}

// pieceFaults are about the steps of pieces: each direction, each edge, each length and each thing in the way.
func pieceFaults() (all []fault) {
	for _, kind := range []byte("knbrq") {
		stage := map[byte]string{'k': "kings", 'n': "knights", 'b': "bishops", 'r': "bishops", 'q': "bishops"}[kind]
		for _, d := range ways[kind] {
			all = append(all, directionFaults(kind, stage, d)...)
		}
		f := faults{stage: way}
		for _, met := range []byte("pnbrqk") {
			if kind != 'k' || met != 'k' {
				f.add(fmt.Sprintf("%c may go onto an own %c", kind, met), func(g *game, add adder) {
					for _, from := range g.pieces(kind) {
						for _, d := range ways[kind] {
							front, _ := g.ray(kind, from, d)
							if to, ok := end(front); ok && g.own(to) && g.kind(to) == met {
								add(from, to)
							}
						}
					}
				})
			}
			if kind == 'k' && met == 'q' {
				f.stage = "check" // which a queen beside the king always gives
			}
			if met != 'k' {
				f.drop(fmt.Sprintf("%c does not capture %c", kind, met), func(g *game, m array.Move) bool {
					return g.kind(m.From) == kind && g.enemy(m.To) && g.kind(m.To) == met
				})
			}
			f.stage = way
		}
		all = append(all, f.all...)
	}
	return all
}

// directionFaults are about the steps of a kind of piece in one direction.
func directionFaults(kind byte, stage string, d [2]int) []fault {
	f := faults{stage: stage}
	name := func(what string) string { return fmt.Sprintf("%c in direction %v %s", kind, d, what) }
	goes := func(g *game, m array.Move) bool { return g.kind(m.From) == kind && along(m, d) }
	add := func(what string, step func(g *game, from int, front, behind []int, add adder)) {
		f.add(name(what), func(g *game, add adder) {
			for _, from := range g.pieces(kind) {
				front, behind := g.ray(kind, from, d)
				step(g, from, front, behind, add)
			}
		})
	}
	f.drop(name("is missing"), goes)
	add("walks over the edge", func(g *game, from int, front, _ []int, add adder) {
		if to, ok := end(front); ok && (g.Board[to] != '.' || !slides(kind)) {
			return
		}
		for to := from + (len(front)+1)*(8*d[1]+d[0]); ; to += 8*d[1] + d[0] {
			if inside := to >= 0 && to < 64; !inside || !g.own(to) {
				add(from, to)
				if inside && g.Board[to] == '.' && slides(kind) {
					continue
				}
			}
			return
		}
	})
	if slides(kind) {
		f.drop(name("goes six squares at most"), func(g *game, m array.Move) bool {
			return goes(g, m) && distance(m.From, m.To) == 7
		})
	}
	f.stage = way
	f.drop(name("captures nothing"), func(g *game, m array.Move) bool { return goes(g, m) && g.enemy(m.To) })
	add("goes onto an own piece", func(g *game, from int, front, _ []int, add adder) {
		if to, ok := end(front); ok && g.own(to) {
			add(from, to)
		}
	})
	if slides(kind) {
		f.drop(name("stops before a piece"), func(g *game, m array.Move) bool {
			front, _ := g.ray(kind, m.From, d)
			last, _ := end(front)
			return goes(g, m) && g.Board[last] != '.' && slices.Index(front, m.To) == len(front)-2
		})
		for what, whose := range map[string]func(g *game, square int) bool{"own": (*game).own, "enemy": (*game).enemy} {
			add("goes through an "+what+" piece", func(g *game, from int, front, behind []int, add adder) {
				if met, ok := end(front); ok && whose(g, met) {
					for _, to := range behind {
						if !g.own(to) {
							add(from, to)
						}
					}
				}
			})
		}
	}
	return f.all
}

// pawns collects faults of pawns: of those on the last but one rank in the stage of promotions, and else of the others.
type pawns struct{ faults }

// to adds the moves of pawns by a step where a test allows it.
func (f *pawns) to(name string, files, ranks int, allowed func(g *game, from, to int) bool) {
	promotes := f.stage == "promotion"
	f.add(name, func(g *game, add adder) {
		for _, from := range g.pieces('p') {
			to, ok := array.Step(from, files, ranks*g.up())
			switch {
			case !ok || !allowed(g, from, to) || (g.rank(from) == 6) != promotes:
			case g.rank(to) == 7:
				for _, promotion := range []byte("qrbn") {
					add(from, to, promotion)
				}
			default:
				add(from, to)
			}
		}
	})
}

// edge adds captures beyond an edge, which lie on the other side of the board.
func (f *pawns) edge(name string, side func(g *game) int) {
	promotes := f.stage == "promotion"
	f.add(name, func(g *game, add adder) {
		for _, from := range g.pieces('p') {
			to := from + 8*g.up() + side(g)
			_, inside := array.Step(from, side(g), g.up())
			if !inside && to >= 0 && to < 64 && g.enemy(to) && (g.rank(from) == 6) == promotes {
				add(from, to)
			}
		}
	})
}

// pawn drops moves of pawns by their step, as the side to move sees it, and without promotions.
func (f *pawns) pawn(name string, is func(g *game, m array.Move, files, ranks int) bool) {
	f.drop(name, func(g *game, m array.Move) bool {
		return g.kind(m.From) == 'p' && m.Promotion == 0 && is(g, m, m.To%8-m.From%8, g.rank(m.To)-g.rank(m.From))
	})
}

var sides = map[int]string{-1: "to the left", 1: "to the right"}

// pawnFaults are about steps, captures and promotions, on each file and with each piece in the way.
func pawnFaults() []fault {
	f := pawns{faults{stage: "pawns"}}
	f.files()
	f.obstacles()
	f.doubles()
	f.stage = "promotion"
	f.promotions()
	return f.all
}

func (f *pawns) files() {
	for file := range 8 {
		f.pawn(fmt.Sprintf("no single step on the file %c", 'a'+file), func(_ *game, m array.Move, files, ranks int) bool {
			return m.From%8 == file && files == 0 && ranks == 1
		})
		f.pawn(fmt.Sprintf("no double step on the file %c", 'a'+file), func(_ *game, m array.Move, _, ranks int) bool {
			return m.From%8 == file && ranks == 2
		})
		for side, name := range sides {
			if file+side >= 0 && file+side < 8 {
				what := fmt.Sprintf("no capture %s on the file %c", name, 'a'+file)
				f.pawn(what, func(_ *game, m array.Move, files, _ int) bool { return m.From%8 == file && files == side })
			}
		}
	}
}

func (f *pawns) obstacles() {
	for _, kind := range []byte("pnbrqk") {
		f.to(fmt.Sprintf("a step onto an own %c", kind), 0, 1, func(g *game, _, to int) bool {
			return g.own(to) && g.kind(to) == kind
		})
		f.to(fmt.Sprintf("a step onto an enemy %c", kind), 0, 1, func(g *game, _, to int) bool {
			return g.enemy(to) && g.kind(to) == kind
		})
		if kind != 'k' {
			f.pawn(fmt.Sprintf("no capture of %c", kind), func(g *game, m array.Move, _, _ int) bool {
				return g.enemy(m.To) && g.kind(m.To) == kind
			})
		}
	}
	for side, name := range sides {
		f.to("a capture of nothing "+name, side, 1, func(g *game, _, to int) bool {
			return g.Board[to] == '.' && to != g.EnPassant
		})
		f.to("a capture of an own piece "+name, side, 1, func(g *game, _, to int) bool { return g.own(to) })
		f.to("a capture backwards "+name, side, -1, func(g *game, _, to int) bool { return g.enemy(to) })
		f.edge("a capture over the edge "+name, func(*game) int { return side })
	}
	f.to("a step backwards", 0, -1, func(g *game, _, to int) bool { return g.Board[to] == '.' })
}

func (f *pawns) doubles() {
	for what, whose := range map[string]func(g *game, square int) bool{"own": (*game).own, "enemy": (*game).enemy} {
		f.to("a double step through an "+what+" piece", 0, 2, func(g *game, from, to int) bool {
			return g.rank(from) == 1 && whose(g, (from+to)/2) && g.Board[to] == '.'
		})
		f.to("a double step onto an "+what+" piece", 0, 2, func(g *game, from, to int) bool {
			return g.rank(from) == 1 && whose(g, to) && g.Board[(from+to)/2] == '.'
		})
	}
	f.pawn("no double step although only the third square is occupied", func(g *game, m array.Move, _, ranks int) bool {
		return ranks == 2 && g.Board[m.To+8*g.up()] != '.'
	})
	for rank := 2; rank <= 5; rank++ {
		f.to(fmt.Sprintf("a double step from rank %d", rank+1), 0, 2, func(g *game, from, to int) bool {
			return g.rank(from) == rank && g.Board[(from+to)/2] == '.' && g.Board[to] == '.'
		})
		f.pawn(fmt.Sprintf("no single step from rank %d", rank+1), func(g *game, m array.Move, files, _ int) bool {
			return g.rank(m.From) == rank && files == 0
		})
		f.pawn(fmt.Sprintf("no capture from rank %d", rank+1), func(g *game, m array.Move, files, _ int) bool {
			return g.rank(m.From) == rank && files != 0
		})
	}
	early := func(g *game, m array.Move) bool { return g.kind(m.From) == 'p' && g.rank(m.To) == 6 }
	f.change("promotion a rank too early", early, func(g *game, add adder) {
		for _, m := range g.legal {
			if early(g, m) {
				add(m.From, m.To, 'q')
			}
		}
	})
}

func (f *pawns) promotions() {
	for side, name := range map[int]string{-1: " to the left", 0: "", 1: " to the right"} {
		goes := func(m array.Move) bool { return m.Promotion != 0 && m.To%8-m.From%8 == side }
		for _, promotion := range []byte("qrbn") {
			f.drop(fmt.Sprintf("no promotion%s to %c", name, promotion), func(_ *game, m array.Move) bool {
				return goes(m) && m.Promotion == promotion
			})
		}
		for file := max(0, -side); file < min(8, 8-side); file++ {
			f.drop(fmt.Sprintf("no promotion%s from the file %c", name, 'a'+file), func(_ *game, m array.Move) bool {
				return goes(m) && m.From%8 == file
			})
		}
		f.to("promotion"+name+" onto an own piece", side, 1, func(g *game, _, to int) bool { return g.own(to) })
		f.to("promotion"+name+" as if by capture, and the reverse", side, 1, func(g *game, _, to int) bool {
			return g.Board[to] == '.' && side != 0 || g.enemy(to) && side == 0
		})
	}
	f.edge("a capture over the edge", (*game).down) // the other edge lies outside the board
	for _, promotion := range []string{"", "k", "p", "Q"} {
		f.add(fmt.Sprintf("promotion written with %q", promotion), func(g *game, add adder) {
			for _, m := range g.legal {
				if m.Promotion == 'q' {
					add(m.From, m.To, []byte(promotion)...)
				}
			}
		})
	}
}

// down is the direction of the enemy's pawns.
func (g *game) down() int { return -g.up() }
