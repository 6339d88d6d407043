package course

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/examples/course/array"
)

// checkFaults are about attacks on the king and the ways out of check.
func checkFaults() []fault {
	f := faults{stage: "check"}
	f.unseen()
	f.imagined()
	f.answers()
	f.stage = "double check"
	double := func(name string, is func(g *game, m array.Move, c []hit) bool) {
		f.blind(name, func(g *game, m array.Move, _ hit) bool {
			c := g.checkers()
			return len(c) == 2 && g.kind(m.From) != 'k' && is(g, m, c)
		})
	}
	double("one of two checkers is captured", func(_ *game, m array.Move, c []hit) bool {
		return m.To == c[0].at || m.To == c[1].at
	})
	double("a piece steps into one of two checks", func(g *game, m array.Move, c []hit) bool {
		return m.To != c[0].at && m.To != c[1].at && len(g.after(m)) == 1
	})
	f.drop("the king captures nothing in double check", func(g *game, m array.Move) bool {
		return len(g.checkers()) == 2 && g.enemy(m.To)
	})
	return f.all
}

// unseen adds attacks that are not seen: of each kind, in each direction, near and far.
func (f *faults) unseen() {
	for _, kind := range []byte("nbrqk") {
		for _, d := range ways[kind] {
			is := func(h hit) bool { return h.kind == kind && h.d == d }
			name := fmt.Sprintf("%c in direction %v ", kind, d)
			f.blind(name+"attacks nothing", func(_ *game, _ array.Move, h hit) bool { return is(h) })
			if slides(kind) {
				f.blind(name+"attacks nothing beside it", func(_ *game, _ array.Move, h hit) bool {
					return is(h) && h.far == 1
				})
				f.blind(name+"attacks what is beside it only", func(_ *game, _ array.Move, h hit) bool {
					return is(h) && h.far > 1
				})
				f.blind(name+"does not see a king that hides behind itself", func(g *game, m array.Move, h hit) bool {
					return is(h) && g.kind(m.From) == 'k' && slices.ContainsFunc(g.checkers(), func(c hit) bool {
						return c.at == h.at
					})
				})
			}
		}
	}
	for side, name := range sides {
		f.blind("a pawn "+name+" attacks nothing", func(_ *game, _ array.Move, h hit) bool {
			return h.kind == 'p' && h.d[0] == side
		})
	}
	for _, kind := range []byte("pnbrq") {
		f.blind(fmt.Sprintf("the king captures a protected %c", kind), func(g *game, m array.Move, _ hit) bool {
			return g.kind(m.From) == 'k' && g.enemy(m.To) && g.kind(m.To) == kind
		})
	}
	f.blind("check is ignored, except by the king", func(g *game, m array.Move, _ hit) bool {
		return len(g.checkers()) == 1 && g.kind(m.From) != 'k'
	})
}

// imagined adds attacks that do not exist, to which a king does not go.
func (f *faults) imagined() {
	into := func(name string, attacked func(g *game, to int) bool) {
		f.drop(name, func(g *game, m array.Move) bool {
			return g.kind(m.From) == 'k' && distance(m.From, m.To) == 1 && attacked(g, m.To)
		})
	}
	pawn := func(g *game, to, files, ranks int) bool {
		at, ok := array.Step(to, files, ranks*g.up())
		return ok && g.enemy(at) && g.kind(at) == 'p'
	}
	into("pawns attack straight ahead", func(g *game, to int) bool { return pawn(g, to, 0, 1) })
	for side, name := range sides {
		into("pawns attack backwards, "+name, func(g *game, to int) bool { return pawn(g, to, side, -1) })
	}
	for _, kind := range []byte("pnbrq") {
		into(fmt.Sprintf("own %c attack", kind), func(g *game, to int) bool {
			return slices.ContainsFunc(hits(&g.Position, to, g.White), func(h hit) bool { return h.kind == kind })
		})
	}
	for _, kind := range []byte("brq") {
		for what, whose := range map[string]func(g *game, square int) bool{"own": (*game).own, "enemy": (*game).enemy} {
			into(fmt.Sprintf("%c attack through %s pieces", kind, what), func(g *game, to int) bool {
				var through []int
				for square := range g.Board {
					if whose(g, square) && g.kind(square) != 'k' {
						through = append(through, square)
					}
				}
				attackers := hits(&g.Position, to, !g.White, through...)
				return slices.ContainsFunc(attackers, func(h hit) bool { return h.kind == kind })
			})
		}
	}
}

// answers adds answers to a check that are missing.
func (f *faults) answers() {
	answer := func(name string, is func(g *game, m array.Move, c hit) bool) {
		f.drop(name, func(g *game, m array.Move) bool {
			c := g.checkers()
			return len(c) == 1 && is(g, m, c[0])
		})
	}
	for _, kind := range []byte("pnbrqk") {
		answer(fmt.Sprintf("%c does not capture what gives check", kind), func(g *game, m array.Move, c hit) bool {
			return g.kind(m.From) == kind && m.To == c.at
		})
		if kind != 'k' {
			answer(fmt.Sprintf("%c does not step into a check", kind), func(g *game, m array.Move, c hit) bool {
				return g.kind(m.From) == kind && m.To != c.at && m.To != g.EnPassant
			})
		}
	}
	answer("a pawn does not step two squares into a check", func(g *game, m array.Move, _ hit) bool {
		return g.kind(m.From) == 'p' && distance(m.From, m.To) == 2
	})
	answer("a king in check captures nothing else", func(g *game, m array.Move, c hit) bool {
		return g.kind(m.From) == 'k' && m.To != c.at && g.enemy(m.To)
	})
}

// pin returns the enemy piece that pins a piece, as the king sees it.
func (g *game) pin(from int) (h hit, ok bool) {
	for _, h := range hits(&g.Position, g.home(&g.Position), !g.White, from) {
		if !slices.Contains(g.checkers(), h) {
			return h, true
		}
	}
	return h, false
}

// pinFaults are about pieces that stand between their king and an enemy slider.
func pinFaults() []fault {
	f := faults{stage: "pins"}
	f.pinsIgnored()
	f.pinsImagined()
	free := func(name string, is func(g *game, m array.Move, pin hit) bool) {
		f.drop(name, func(g *game, m array.Move) bool {
			pin, ok := g.pin(m.From)
			return ok && g.kind(m.From) != 'k' && is(g, m, pin)
		})
	}
	for _, kind := range []byte("pbrq") {
		free(fmt.Sprintf("a pinned %c does not move on its line", kind), func(g *game, m array.Move, pin hit) bool {
			return g.kind(m.From) == kind && m.To != pin.at
		})
		free(fmt.Sprintf("a pinned %c does not capture what pins it", kind), func(g *game, m array.Move, pin hit) bool {
			return g.kind(m.From) == kind && m.To == pin.at
		})
	}
	free("a pinned pawn does not step two squares on its line", func(g *game, m array.Move, _ hit) bool {
		return g.kind(m.From) == 'p' && distance(m.From, m.To) == 2
	})
	free("a pinned piece does not go towards its king", func(g *game, m array.Move, _ hit) bool {
		home := g.home(&g.Position)
		return distance(home, m.To) < distance(home, m.From)
	})
	return f.all
}

// pinsIgnored adds moves of pinned pieces away from their lines.
func (f *faults) pinsIgnored() {
	pinned := func(name string, is func(g *game, m array.Move, h hit) bool) {
		f.blind(name, func(g *game, m array.Move, h hit) bool {
			pin, ok := g.pin(m.From)
			return ok && pin.at == h.at && g.kind(m.From) != 'k' && m.To != g.EnPassant && is(g, m, h)
		})
	}
	for _, kind := range []byte("brq") {
		for _, d := range ways[kind] {
			pinned(fmt.Sprintf("%c in direction %v pins nothing", kind, d), func(_ *game, _ array.Move, h hit) bool {
				return h.kind == kind && h.d == d
			})
		}
	}
	for _, kind := range []byte("pnbrq") {
		pinned(fmt.Sprintf("%c cannot be pinned", kind), func(g *game, m array.Move, _ hit) bool {
			return g.kind(m.From) == kind
		})
	}
	pawn := func(g *game, m array.Move) bool { return g.kind(m.From) == 'p' }
	pinned("a pinned pawn captures", func(g *game, m array.Move, _ hit) bool { return pawn(g, m) && g.enemy(m.To) })
	pinned("a pinned pawn steps", func(g *game, m array.Move, _ hit) bool { return pawn(g, m) && !g.enemy(m.To) })
	pinned("a pinned pawn steps two squares", func(g *game, m array.Move, _ hit) bool {
		return pawn(g, m) && distance(m.From, m.To) == 2
	})
}

// pinsImagined keeps pieces on lines on which they are not pinned.
func (f *faults) pinsImagined() {
	// line returns the pieces on a line from the king.
	line := func(g *game, d [2]int) (met []int) {
		for n := 1; ; n++ {
			at, ok := array.Step(g.home(&g.Position), n*d[0], n*d[1])
			switch {
			case !ok:
				return met
			case g.Board[at] != '.':
				met = append(met, at)
			}
		}
	}
	pinner := func(g *game, at int, d [2]int) bool {
		return g.enemy(at) && slides(g.kind(at)) && slices.Contains(ways[g.kind(at)], d)
	}
	// held drops moves of a piece of a line, by its number, where a test of the line is true.
	held := func(name string, number, least int, is func(g *game, met []int, d [2]int) bool) {
		f.drop(name, func(g *game, m array.Move) bool {
			for _, d := range royal {
				met := line(g, d)
				if len(met) >= least && m.From == met[number] && g.own(m.From) && is(g, met, d) &&
					!along(array.Move{From: g.home(&g.Position), To: m.To}, d) {
					return true
				}
			}
			return false
		})
	}
	shielded := func(g *game, met []int, d [2]int) bool { return g.own(met[0]) && g.own(met[1]) && pinner(g, met[2], d) }
	held("the first of two own pieces is pinned", 0, 3, shielded)
	held("the second of two own pieces is pinned", 1, 3, shielded)
	held("an own piece before an enemy piece is pinned", 0, 3, func(g *game, met []int, d [2]int) bool {
		return g.enemy(met[1]) && !pinner(g, met[1], d) && pinner(g, met[2], d)
	})
	held("an own piece behind an enemy piece is pinned", 1, 3, func(g *game, met []int, d [2]int) bool {
		return g.enemy(met[0]) && pinner(g, met[2], d)
	})
	held("an own slider pins", 0, 2, func(g *game, met []int, d [2]int) bool {
		return g.own(met[1]) && slides(g.kind(met[1])) && slices.Contains(ways[g.kind(met[1])], d)
	})
	for _, kind := range []byte("pnbrk") {
		held(fmt.Sprintf("%c pins on every line", kind), 0, 2, func(g *game, met []int, d [2]int) bool {
			return g.enemy(met[1]) && g.kind(met[1]) == kind && !pinner(g, met[1], d)
		})
	}
}

// A wing is a side of the board on which a king castles.
type wing struct {
	name         string
	right        int // index in "KQ"
	step, length int // towards the rook, and the squares between
}

func (w wing) rook(home int) int { return home + w.step*(w.length+1) }

func (w wing) castles(g *game, m array.Move) bool {
	return g.kind(m.From) == 'k' && m.To-m.From == 2*w.step
}

// A castling is what a wing's castling depends on, where king and rook are at home.
type castling struct {
	home      int
	right     bool
	obstacles []int    // occupied squares between king and rook
	attacked  [3][]hit // of the king's square, the one that it crosses and the one that it reaches
}

func (w wing) look(g *game) (c castling, ok bool) {
	c.home = 4
	letters := "KQ"
	if !g.White {
		c.home, letters = 60, "kq"
	}
	if rook := w.rook(c.home); !g.own(c.home) || g.kind(c.home) != 'k' || !g.own(rook) || g.kind(rook) != 'r' {
		return c, false
	}
	c.right = strings.Contains(g.Castling, letters[w.right:w.right+1])
	for n := 1; n <= w.length; n++ {
		if at := c.home + n*w.step; g.Board[at] != '.' {
			c.obstacles = append(c.obstacles, at)
		}
	}
	for n := range 3 {
		c.attacked[n] = hits(&g.Position, c.home+n*w.step, !g.White, c.home)
	}
	return c, true
}

// only reports whether nothing but the attacks of one kind on one of the squares, by its number, and on squares that
// the same pieces attack besides, forbids the castling.
func (c castling) only(number int, kind byte) bool {
	all := slices.Concat(c.attacked[:]...)
	return c.right && len(c.obstacles) == 0 && len(c.attacked[number]) > 0 &&
		!slices.ContainsFunc(all, func(h hit) bool { return h.kind != kind })
}

// castlingFaults are about the right, the empty squares and the attacks of castling, on each wing.
func castlingFaults() []fault {
	f := faults{stage: "castling"}
	f.wing(wing{"on the king's side", 0, 1, 2})
	f.wing(wing{"on the queen's side", 1, -1, 3})
	f.drop("no castling when the rook crosses an attacked square", func(g *game, m array.Move) bool {
		return g.kind(m.From) == 'k' && m.From-m.To == 2 && len(hits(&g.Position, m.From-3, !g.White)) > 0
	})
	return f.all
}

func (f *faults) wing(w wing) {
	add := func(what string, is func(g *game, c castling) bool) {
		f.add(what+" "+w.name, func(g *game, add adder) {
			if c, ok := w.look(g); ok && is(g, c) {
				add(c.home, c.home+2*w.step)
			}
		})
	}
	f.drop("no castling "+w.name, w.castles)
	f.drop("no castling with an attacked rook "+w.name, func(g *game, m array.Move) bool {
		return w.castles(g, m) && len(hits(&g.Position, w.rook(m.From), !g.White)) > 0
	})
	f.change("castling written as king takes rook "+w.name, w.castles, func(g *game, add adder) {
		for _, m := range g.legal {
			if w.castles(g, m) {
				add(m.From, w.rook(m.From))
			}
		}
	})
	clear := func(c castling) bool { return len(c.obstacles) == 0 && len(slices.Concat(c.attacked[:]...)) == 0 }
	add("castling without any right", func(g *game, c castling) bool { return g.Castling == "" && clear(c) })
	add("castling with another right", func(g *game, c castling) bool {
		return !c.right && g.Castling != "" && clear(c)
	})
	for n := 1; n <= w.length; n++ {
		for what, whose := range map[string]func(g *game, square int) bool{"own": (*game).own, "enemy": (*game).enemy} {
			add(fmt.Sprintf("castling with an %s piece on the square %d", what, n), func(g *game, c castling) bool {
				alone := len(c.obstacles) == 1 && c.obstacles[0] == c.home+n*w.step
				return c.right && alone && whose(g, c.obstacles[0]) && len(slices.Concat(c.attacked[:]...)) == 0
			})
		}
	}
	for n, where := range []string{"out of", "through", "into"} {
		for _, kind := range []byte("pnbrqk") {
			if n > 0 || kind != 'k' {
				add(fmt.Sprintf("castling %s an attack by %c", where, kind), func(_ *game, c castling) bool {
					return c.only(n, kind)
				})
			}
		}
	}
}

// passantFaults are about captures en passant, on each file and with each danger to the king.
func passantFaults() []fault {
	f := faults{stage: "en passant"}
	passes := func(g *game, m array.Move) bool { return g.kind(m.From) == 'p' && m.To == g.EnPassant }
	for from := range 8 {
		for _, to := range []int{from - 1, from + 1} {
			if to >= 0 && to < 8 {
				f.drop(fmt.Sprintf("not from the file %c to %c", 'a'+from, 'a'+to), func(g *game, m array.Move) bool {
					return passes(g, m) && m.From%8 == from && m.To%8 == to
				})
			}
		}
	}
	for side, name := range sides {
		f.add("at any time, "+name, func(g *game, add adder) {
			for _, from := range g.pieces('p') {
				to, ok := array.Step(from, side, g.up())
				beside := to - 8*g.up()
				if ok && g.rank(from) == 4 && to != g.EnPassant && g.Board[to] == '.' &&
					g.enemy(beside) && g.kind(beside) == 'p' {
					add(from, to)
				}
			}
		})
		f.add("over the edge "+name, func(g *game, add adder) {
			for _, from := range g.pieces('p') {
				if _, ok := array.Step(from, side, g.up()); !ok && from+8*g.up()+side == g.EnPassant {
					add(from, g.EnPassant)
				}
			}
		})
	}
	for _, kind := range []byte("brq") {
		for _, d := range ways[kind] {
			f.blind(fmt.Sprintf("uncovers %c in direction %v", kind, d), func(g *game, m array.Move, h hit) bool {
				return passes(g, m) && h.kind == kind && h.d == d
			})
		}
	}
	pinned := func(g *game, m array.Move) bool {
		_, ok := g.pin(m.From)
		return ok
	}
	f.blind("the captured pawn uncovers an attack", func(g *game, m array.Move, _ hit) bool {
		return passes(g, m) && !pinned(g, m)
	})
	f.blind("the capturing pawn is pinned", func(g *game, m array.Move, _ hit) bool {
		return passes(g, m) && pinned(g, m)
	})
	f.blind("a check is left standing", func(g *game, m array.Move, _ hit) bool {
		return passes(g, m) && len(g.checkers()) > 0
	})
	f.drop("not when the captured pawn gives check", func(g *game, m array.Move) bool {
		return passes(g, m) && len(g.checkers()) > 0
	})
	f.drop("not by a pinned pawn on its line", func(g *game, m array.Move) bool {
		return passes(g, m) && pinned(g, m)
	})
	f.drop("not when a piece stands behind the captured pawn", func(g *game, m array.Move) bool {
		return passes(g, m) && g.Board[m.To-16*g.up()] != '.'
	})
	return f.all
}
