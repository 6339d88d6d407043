package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/tables/index"
)

// Offsets of the sets of a kind of piece in chess.Position.
const (
	setPawns = index.PositionPieces + 8*iota
	setKnights
	setBishops
	setRooks
	setQueens
	setKings
)

// sliderSets are the sets of bishops and rooks, by piece.
var sliderSets = [2]int{setBishops, setRooks}

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
	p.function(name, "(p *position, stage uint8, list *moveList, rows *[64]row, sets *attackSets) int",
		name+" writes the legal moves of a stage to list and returns their number.",
		"It does not know en passant, and writes up to sixteen words beyond the last.")
	s := &scalar{program: p, rows: p.asm.GP64(), sets: p.asm.GP64()}
	p.asm.Load(p.asm.Param("rows"), s.rows)
	p.asm.Load(p.asm.Param("sets"), s.sets)
	out := p.asm.Load(p.asm.Param("list"), p.asm.GP64()).(reg.GPVirtual)
	l := &moveLister{
		scalar: s, moveSink: sink(out), occ: p.asm.GP64(), position: p.pointer("p"),
		king: p.asm.AllocLocal(8), pinned: p.asm.AllocLocal(8), check: p.asm.AllocLocal(8), theirs: p.asm.AllocLocal(8),
		rights: p.asm.AllocLocal(8), done: "done",
	}
	stage := p.asm.Load(p.asm.Param("stage"), p.asm.GP8())
	p.asm.CMPB(l.position.Offset(index.PositionSide), operand.U8(0))
	p.asm.JNE(operand.LabelRef("black"))
	for i, side := range pawnSides {
		if i == 1 {
			p.asm.Label("black")
		}
		l.side = side
		p.asm.CMPB(stage, operand.U8(stageTactical))
		p.asm.JEQ(operand.LabelRef("tactical" + side.name))
		p.asm.JA(operand.LabelRef("quiet" + side.name))
		for l.stage = stageAll; l.stage <= stageQuiet; l.stage++ {
			p.asm.Commentf("%s to move", side.name)
			p.asm.Label([]string{"all", "tactical", "quiet"}[l.stage] + side.name)
			l.list()
			p.asm.JMP(operand.LabelRef(l.done))
		}
	}
	p.asm.Label(l.done)
	n := l.end()
	p.asm.SUBQ(p.asm.Load(p.asm.Param("list"), p.asm.GP64()), n)
	p.asm.SHRQ(operand.U8(1), n)
	l.finish()
	p.asm.Store(n, p.asm.ReturnIndex(0))
	p.asm.RET()
}

// of returns the set of a kind that belongs to the side with the given offset.
func (l *moveLister) of(kind, side int) reg.GPVirtual {
	r := l.load(l.position.Offset(kind))
	l.asm.ANDQ(l.position.Offset(side), r)
	return r
}

// slidersOf returns the bishops and queens or the rooks and queens of a side.
func (l *moveLister) slidersOf(k slider, side int) reg.GPVirtual {
	r := l.load(l.position.Offset(sliderSets[k.piece]))
	l.asm.ORQ(l.position.Offset(setQueens), r)
	l.asm.ANDQ(l.position.Offset(side), r)
	return r
}

// list emits the listing for l.side and l.stage.
func (l *moveLister) list() {
	ours, theirs := l.load(l.position.Offset(l.side.us)), l.load(l.position.Offset(l.side.them))
	l.asm.MOVQ(ours, l.occ)
	l.asm.ORQ(theirs, l.occ)
	targets := l.asm.GP64()
	switch l.stage {
	case stageAll:
		l.asm.MOVQ(ours, targets)
		l.asm.NOTQ(targets)
	case stageTactical:
		l.asm.MOVQ(theirs, targets)
	case stageQuiet:
		l.asm.MOVQ(l.occ, targets)
		l.asm.NOTQ(targets)
	}
	pinned := l.load(l.position.Offset(index.PositionBlockers))
	l.asm.ANDQ(ours, pinned)
	l.asm.MOVQ(pinned, l.pinned)
	l.asm.MOVQ(theirs, l.theirs)
	l.asm.MOVQ(operand.I32(-1), l.check)
	kings := l.load(l.position.Offset(setKings))
	l.asm.ANDQ(ours, kings)
	l.asm.JZ(operand.LabelRef(l.done)) // the zero Position
	king := l.rowOf(kings)
	l.asm.MOVQ(king, l.king)

	l.kingMoves(king, targets)
	l.answerCheck(targets)
	l.listPawns()
	l.listPieces(targets)
}

// answerCheck bounds the targets of a side in check. In double check only the
// king moves.
func (l *moveLister) answerCheck(targets reg.GPVirtual) {
	l.asm.Comment("check")
	free := l.label("noCheck")
	checker := l.load(l.position.Offset(index.PositionCheckers))
	l.asm.TESTQ(checker, checker)
	l.asm.JZ(operand.LabelRef(free))
	rest := l.asm.GP64()
	l.asm.BLSRQ(checker, rest)
	l.asm.JNZ(operand.LabelRef(l.done))
	king, at, mask, kings := l.load(l.king), l.rowOf(checker), l.load(checker), l.of(setKings, l.side.us)
	for _, k := range []slider{bishops, rooks} {
		next := l.label("otherLine")
		l.asm.TESTQ(checker, l.row(king, k.rays))
		l.asm.JZ(operand.LabelRef(next))
		between := l.load(l.attacks(k, king, checker))
		l.asm.ANDQ(l.attacks(k, at, kings), between)
		l.asm.ORQ(between, mask)
		l.asm.Label(next)
	}
	l.asm.MOVQ(mask, l.check)
	l.asm.ANDQ(mask, targets)
	l.asm.Label(free)
}

// kingMoves lists the king's steps and castling. What the other side attacks
// is looked up where there is any step to take.
func (l *moveLister) kingMoves(king, targets reg.GPVirtual) {
	l.asm.Comment("king")
	none, look := l.label("kingStays"), l.label("attacked")
	steps := l.load(l.row(king, rowKing))
	if l.stage != stageTactical {
		l.openWays()
		l.asm.ANDQ(targets, steps)
		l.asm.JNZ(operand.LabelRef(look))
		l.asm.CMPQ(l.rights, operand.I8(0))
		l.asm.JE(operand.LabelRef(none))
		l.asm.Label(look)
	} else {
		l.asm.ANDQ(targets, steps)
		l.asm.JZ(operand.LabelRef(none))
	}
	attacked := l.attackedByThem()
	l.asm.ANDNQ(steps, attacked, steps)
	l.piece(l, king, steps)
	if l.stage != stageTactical {
		l.castling(attacked)
	}
	l.asm.Label(none)
}

// way returns the memory of a word of the castling way of a wing, 0 the king
// side: what must be empty is first, what must not be attacked second.
func (l *moveLister) way(wing, word int) operand.Mem {
	return l.position.Offset(index.PositionWays + 16*(l.side.rights+wing) + 8*word)
}

// openWays sets l.rights to the wings of which the right stands and the way is
// empty; none in check.
func (l *moveLister) openWays() {
	open, end := l.asm.GP64(), l.label("ways")
	l.asm.XORL(open.As32(), open.As32())
	l.asm.TESTB(operand.U8(3<<l.side.rights), l.position.Offset(index.PositionRights))
	l.asm.JZ(operand.LabelRef(end))
	l.asm.CMPQ(l.position.Offset(index.PositionCheckers), operand.I8(0))
	l.asm.JNE(operand.LabelRef(end))
	for wing := range 2 {
		next := l.label("nextWay")
		l.asm.TESTB(operand.U8(1<<(l.side.rights+wing)), l.position.Offset(index.PositionRights))
		l.asm.JZ(operand.LabelRef(next))
		l.asm.TESTQ(l.occ, l.way(wing, 0))
		l.asm.JNZ(operand.LabelRef(next))
		l.asm.ORL(operand.U8(1<<wing), open.As32())
		l.asm.Label(next)
	}
	l.asm.Label(end)
	l.asm.MOVQ(open, l.rights)
}

// castling lists castling on the open wings. A rook that shields its king may
// not castle away.
func (l *moveLister) castling(attacked reg.GPVirtual) {
	end := l.label("castled")
	l.asm.CMPQ(l.rights, operand.I8(0))
	l.asm.JE(operand.LabelRef(end))
	for wing := range 2 {
		next := l.label("nextWing")
		l.asm.TESTB(operand.U8(1<<wing), l.rights)
		l.asm.JZ(operand.LabelRef(next))
		l.asm.TESTQ(attacked, l.way(wing, 1))
		l.asm.JNZ(operand.LabelRef(next))
		rook, pinned := l.asm.GP64(), l.load(l.pinned)
		l.asm.MOVBQZX(l.position.Offset(index.PositionRooks+l.side.rights+wing), rook)
		l.asm.BTQ(rook, pinned)
		l.asm.JC(operand.LabelRef(next))
		l.asm.ADDQ(l.king, rook)
		l.asm.ADDQ(operand.U32(moveCastling), rook)
		l.one(rook)
		l.asm.Label(next)
	}
	l.asm.Label(end)
}

// attackedByThem returns what the other side attacks, our king being
// transparent.
func (l *moveLister) attackedByThem() reg.GPVirtual {
	l.asm.Comment("what the enemy attacks, our king being transparent")
	occ := l.of(setKings, l.side.us)
	l.asm.XORQ(l.occ, occ)
	a := l.asm.GP64()
	l.asm.XORL(a.As32(), a.As32())
	l.each("theirKnight", l.of(setKnights, l.side.them), func(row reg.GPVirtual) {
		l.asm.ORQ(l.row(row, rowKnight), a)
	})
	pawns := l.of(setPawns, l.side.them)
	for _, by := range []int{-l.side.west, -l.side.east} {
		l.asm.ORQ(l.shifted(pawns, by, wrapOf(by)), a)
	}
	their := l.rowOf(l.of(setKings, l.side.them))
	l.asm.ORQ(l.row(their, rowKing), a)
	for _, k := range []slider{bishops, rooks} {
		l.each(k.name, l.slidersOf(k, l.side.them), func(row reg.GPVirtual) {
			l.asm.ORQ(l.attacks(k, row, occ), a)
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
	l.asm.Comment("knights")
	knights := l.of(setKnights, l.side.us)
	pinned := l.load(l.pinned)
	l.asm.ANDNQ(knights, pinned, knights)
	l.each("knight", knights, func(row reg.GPVirtual) {
		to := l.load(l.row(row, rowKnight))
		l.asm.ANDQ(targets, to)
		l.piece(l, row, to)
	})
	for _, k := range []slider{bishops, rooks} {
		l.asm.Comment(k.name + "s")
		set := l.slidersOf(k, l.side.us)
		l.each(k.name, set, func(row reg.GPVirtual) {
			to, one, free := l.load(l.attacks(k, row, l.occ)), l.asm.GP64(), l.label("free")
			l.asm.ANDQ(targets, to)
			l.asm.BLSIQ(set, one)
			l.asm.TESTQ(one, l.pinned)
			l.asm.JZ(operand.LabelRef(free))
			l.stayOnLine(k, row, one, to)
			l.asm.Label(free)
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
	l.asm.TESTQ(one, l.row(king, k.rays))
	l.asm.JZ(operand.LabelRef(off))
	l.asm.ANDQ(l.row(row, k.rays), to)
	l.asm.ANDQ(l.row(king, k.rays), to)
	l.asm.JMP(operand.LabelRef(on))
	l.asm.Label(off)
	l.asm.XORL(to.As32(), to.As32())
	l.asm.Label(on)
}
