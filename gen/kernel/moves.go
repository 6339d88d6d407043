package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/tables/index"
)

// Offsets of the sets of a kind of piece in chess.Position.
const (
	setPawns   = index.PositionPieces
	setKnights = index.PositionPieces + 8*kindKnight
	setQueens  = index.PositionPieces + 8*kindQueen
	setKings   = index.PositionPieces + 8*kindKing
)

// sliderSets are the sets of bishops and rooks, by layout.
var sliderSets = [2]int{index.PositionPieces + 8*kindBishop, index.PositionPieces + 8*kindRook}

// movegen.Stage.
const (
	stageAll = iota
	stageTactical
	stageQuiet
)

// Bits of a chess.Move: what a square that is left is multiplied by, the kinds.
const (
	moveFrom      = 1 << 6
	movePromotion = 1 << 14
	movePiece     = 1 << 12 // times the piece less a knight
	moveCastling  = 3 << 14
)

// pawnSide is what differs between the two sides: sets and signed shifts.
type pawnSide struct {
	name                  string
	us, them              int // offsets of all pieces
	rights                int // number of the king-side right
	forward               int
	west, east            int
	single, seventh, last uint64
}

var pawnSides = [2]pawnSide{
	{"White", index.PositionColors, index.PositionColors + 8, 0, 8, 7, 9, rank3, rank8 >> 8, rank8},
	{"Black", index.PositionColors + 8, index.PositionColors, 2, -8, -9, -7, rank8 >> 16, rank1 << 8, rank1},
}

// moveLister emits the listing of the legal moves of a chess.Position in the
// order of movegen's plain generator, which specifies it.
type moveLister struct {
	*scalar
	moveSink
	side     pawnSide
	stage    int
	position operand.Mem
	occ      reg.GPVirtual
	done     string // label of the end

	king, pinned operand.Mem // our king's row, our pinned pieces
	check        operand.Mem // where a move ends the check
	theirs       operand.Mem
	rights       operand.Mem // our castling rights, as the two lowest bits
}

// moveSink emits the writing of moves to the list, whose end it moves on.
type moveSink interface {
	// piece lists a move to each of the targets, at most fourteen; from is the
	// square that is left times 64.
	piece(l *moveLister, from, targets reg.GPVirtual)
	// pawns lists a move to each of the targets, at most eight, from the square
	// by lower.
	pawns(l *moveLister, targets reg.GPVirtual, by int)
	// one lists a single move.
	one(move reg.GPVirtual)
	end() reg.GPVirtual
	// finish is emitted before the return.
	finish()
}

// listMoves emits a function that lists the moves of a stage.
func listMoves(p *program, name string, sink func(out reg.GPVirtual) moveSink) {
	p.function(name, "func(p *position, stage uint8, list *moveList, rows *[64]row, sets "+attackSets+") int",
		name+" writes the legal moves of a stage to list and returns their number.",
		"It does not know en passant, and writes up to sixteen words beyond the last.")
	s := &scalar{program: p, layout: pextLayout, rows: p.GP64(), sets: p.GP64()}
	p.Load(p.Param("rows"), s.rows)
	p.Load(p.Param("sets"), s.sets)
	out := p.Load(p.Param("list"), p.GP64()).(reg.GPVirtual)
	l := &moveLister{
		scalar: s, moveSink: sink(out), occ: p.GP64(), position: p.pointer("p"),
		king: p.AllocLocal(8), pinned: p.AllocLocal(8), check: p.AllocLocal(8), theirs: p.AllocLocal(8), rights: p.AllocLocal(8),
		done: "done",
	}
	stage := p.Load(p.Param("stage"), p.GP8())
	p.CMPB(l.position.Offset(index.PositionSide), operand.U8(0))
	p.JNE(operand.LabelRef("black"))
	for i, side := range pawnSides {
		if i == 1 {
			p.Label("black")
		}
		l.side = side
		p.CMPB(stage, operand.U8(stageTactical))
		p.JEQ(operand.LabelRef("tactical" + side.name))
		p.JA(operand.LabelRef("quiet" + side.name))
		for l.stage = stageAll; l.stage <= stageQuiet; l.stage++ {
			p.Commentf("%s to move", side.name)
			p.Label([]string{"all", "tactical", "quiet"}[l.stage] + side.name)
			l.list()
			p.JMP(operand.LabelRef(l.done))
		}
	}
	p.Label(l.done)
	n := l.end()
	p.SUBQ(p.Load(p.Param("list"), p.GP64()), n)
	p.SHRQ(operand.U8(1), n)
	l.finish()
	p.Store(n, p.ReturnIndex(0))
	p.RET()
}

// of returns the set of a kind that belongs to the side with the given offset.
func (l *moveLister) of(kind, side int) reg.GPVirtual {
	r := l.load(l.position.Offset(kind))
	l.ANDQ(l.position.Offset(side), r)
	return r
}

// slidersOf returns the bishops and queens or the rooks and queens of a side.
func (l *moveLister) slidersOf(k slider, side int) reg.GPVirtual {
	r := l.load(l.position.Offset(sliderSets[k.piece]))
	l.ORQ(l.position.Offset(setQueens), r)
	l.ANDQ(l.position.Offset(side), r)
	return r
}

// list emits the listing for l.side and l.stage.
func (l *moveLister) list() {
	ours, theirs := l.load(l.position.Offset(l.side.us)), l.load(l.position.Offset(l.side.them))
	l.MOVQ(ours, l.occ)
	l.ORQ(theirs, l.occ)
	targets := l.GP64()
	switch l.stage {
	case stageAll:
		l.MOVQ(ours, targets)
		l.NOTQ(targets)
	case stageTactical:
		l.MOVQ(theirs, targets)
	case stageQuiet:
		l.MOVQ(l.occ, targets)
		l.NOTQ(targets)
	}
	pinned := l.load(l.position.Offset(index.PositionBlockers))
	l.ANDQ(ours, pinned)
	l.MOVQ(pinned, l.pinned)
	l.MOVQ(theirs, l.theirs)
	l.MOVQ(operand.I32(-1), l.check)
	kings := l.load(l.position.Offset(setKings))
	l.ANDQ(ours, kings)
	l.JZ(operand.LabelRef(l.done)) // the zero Position
	king := l.rowOf(kings)
	l.MOVQ(king, l.king)

	l.kingMoves(king, targets)
	l.answerCheck(targets)
	l.listPawns()
	l.listPieces(targets)
}

// answerCheck bounds the targets of a side in check. In double check only the
// king moves.
func (l *moveLister) answerCheck(targets reg.GPVirtual) {
	l.Comment("check")
	free := l.label("noCheck")
	checker := l.load(l.position.Offset(index.PositionCheckers))
	l.TESTQ(checker, checker)
	l.JZ(operand.LabelRef(free))
	rest := l.GP64()
	l.BLSRQ(checker, rest)
	l.JNZ(operand.LabelRef(l.done))
	king, at, mask, kings := l.load(l.king), l.rowOf(checker), l.load(checker), l.of(setKings, l.side.us)
	for _, k := range []slider{bishops, rooks} {
		next := l.label("otherLine")
		l.TESTQ(checker, l.row(king, l.rays[k.piece]))
		l.JZ(operand.LabelRef(next))
		between := l.load(l.attacks(k, king, checker))
		l.ANDQ(l.attacks(k, at, kings), between)
		l.ORQ(between, mask)
		l.Label(next)
	}
	l.MOVQ(mask, l.check)
	l.ANDQ(mask, targets)
	l.Label(free)
}

// kingMoves lists the king's steps and castling. What the other side attacks
// is looked up where there is any step to take.
func (l *moveLister) kingMoves(king, targets reg.GPVirtual) {
	l.Comment("king")
	none, look := l.label("kingStays"), l.label("attacked")
	steps := l.load(l.row(king, l.scalar.king))
	if l.stage != stageTactical {
		l.openWays()
		l.ANDQ(targets, steps)
		l.JNZ(operand.LabelRef(look))
		l.CMPQ(l.rights, operand.I8(0))
		l.JE(operand.LabelRef(none))
		l.Label(look)
	} else {
		l.ANDQ(targets, steps)
		l.JZ(operand.LabelRef(none))
	}
	attacked := l.attackedByThem(king)
	l.ANDNQ(steps, attacked, steps)
	l.piece(l, king, steps)
	if l.stage != stageTactical {
		l.castling(attacked)
	}
	l.Label(none)
}

// way returns the memory of a word of the castling way of a wing, 0 the king
// side: what must be empty is first, what must not be attacked second.
func (l *moveLister) way(wing, word int) operand.Mem {
	return l.position.Offset(index.PositionWays + 16*(l.side.rights+wing) + 8*word)
}

// openWays sets l.rights to the wings of which the right stands and the way is
// empty; none in check.
func (l *moveLister) openWays() {
	open, end := l.GP64(), l.label("ways")
	l.XORL(open.As32(), open.As32())
	l.TESTB(operand.U8(3<<l.side.rights), l.position.Offset(index.PositionRights))
	l.JZ(operand.LabelRef(end))
	l.CMPQ(l.position.Offset(index.PositionCheckers), operand.I8(0))
	l.JNE(operand.LabelRef(end))
	for wing := range 2 {
		next := l.label("nextWay")
		l.TESTB(operand.U8(1<<(l.side.rights+wing)), l.position.Offset(index.PositionRights))
		l.JZ(operand.LabelRef(next))
		l.TESTQ(l.occ, l.way(wing, 0))
		l.JNZ(operand.LabelRef(next))
		l.ORL(operand.U8(1<<wing), open.As32())
		l.Label(next)
	}
	l.Label(end)
	l.MOVQ(open, l.rights)
}

// castling lists castling on the open wings. A rook that shields its king may
// not castle away.
func (l *moveLister) castling(attacked reg.GPVirtual) {
	end := l.label("castled")
	l.CMPQ(l.rights, operand.I8(0))
	l.JE(operand.LabelRef(end))
	for wing := range 2 {
		next := l.label("nextWing")
		l.TESTB(operand.U8(1<<wing), l.rights)
		l.JZ(operand.LabelRef(next))
		l.TESTQ(attacked, l.way(wing, 1))
		l.JNZ(operand.LabelRef(next))
		rook, pinned := l.GP64(), l.load(l.pinned)
		l.MOVBQZX(l.position.Offset(index.PositionRooks+l.side.rights+wing), rook)
		l.BTQ(rook, pinned)
		l.JC(operand.LabelRef(next))
		l.ADDQ(l.king, rook)
		l.ADDQ(operand.U32(moveCastling), rook)
		l.one(rook)
		l.Label(next)
	}
	l.Label(end)
}

// attackedByThem returns what the other side attacks, our king being
// transparent.
func (l *moveLister) attackedByThem(king reg.GPVirtual) reg.GPVirtual {
	l.Comment("what the enemy attacks, our king being transparent")
	occ := l.of(setKings, l.side.us)
	l.XORQ(l.occ, occ)
	a := l.GP64()
	l.XORL(a.As32(), a.As32())
	l.each("theirKnight", l.of(setKnights, l.side.them), func(row reg.GPVirtual) {
		l.ORQ(l.row(row, l.knight), a)
	})
	pawns := l.of(setPawns, l.side.them)
	for _, by := range []int{-l.side.west, -l.side.east} {
		l.ORQ(l.shifted(pawns, by, wrapOf(by)), a)
	}
	their := l.rowOf(l.of(setKings, l.side.them))
	l.ORQ(l.row(their, l.scalar.king), a)
	for _, k := range []slider{bishops, rooks} {
		l.each(k.name, l.slidersOf(k, l.side.them), func(row reg.GPVirtual) {
			l.ORQ(l.attacks(k, row, occ), a)
		})
	}
	return a
}

// wrapOf returns the squares that a diagonal step of pawns by as many squares
// may end on.
func wrapOf(by int) uint64 {
	if by == 7 || by == -9 {
		return notH
	}
	return notA
}

// listPieces lists the moves of knights, then bishops, then rooks; a queen's
// come half with these and half with those.
func (l *moveLister) listPieces(targets reg.GPVirtual) {
	l.Comment("knights")
	knights := l.of(setKnights, l.side.us)
	pinned := l.load(l.pinned)
	l.ANDNQ(knights, pinned, knights)
	l.each("knight", knights, func(row reg.GPVirtual) {
		to := l.load(l.row(row, l.knight))
		l.ANDQ(targets, to)
		l.piece(l, row, to)
	})
	for _, k := range []slider{bishops, rooks} {
		l.Comment(k.name + "s")
		set := l.slidersOf(k, l.side.us)
		l.each(k.name, set, func(row reg.GPVirtual) {
			to, one, free := l.load(l.attacks(k, row, l.occ)), l.GP64(), l.label("free")
			l.ANDQ(targets, to)
			l.BLSIQ(set, one)
			l.TESTQ(one, l.pinned)
			l.JZ(operand.LabelRef(free))
			l.stayOnLine(k, row, one, to)
			l.Label(free)
			l.piece(l, row, to)
		})
	}
}

// stayOnLine takes from the targets of the pinned piece one, on the given row,
// what lies off the line to its king. The squares that both see on an empty
// board are this line without the two.
func (l *moveLister) stayOnLine(k slider, row, one, to reg.GPVirtual) {
	off, on := l.label("offLine"), l.label("onLine")
	king := l.load(l.king)
	l.TESTQ(one, l.row(king, l.rays[k.piece]))
	l.JZ(operand.LabelRef(off))
	l.ANDQ(l.row(row, l.rays[k.piece]), to)
	l.ANDQ(l.row(king, l.rays[k.piece]), to)
	l.JMP(operand.LabelRef(on))
	l.Label(off)
	l.XORL(to.As32(), to.As32())
	l.Label(on)
}
