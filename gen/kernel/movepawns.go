package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// listPawns lists the moves of pawns but for en passant.
func (l *moveLister) listPawns() {
	l.Comment("pawns: a pinned one pushes along its king's file only")
	pawns, pinned, square := l.of(setPawns, l.side.us), l.load(l.pinned), l.load(l.king)
	file := l.GP64()
	l.MOVQ(operand.U64(^uint64(notA)), file)
	l.SHRQ(operand.U8(6), square)
	l.ANDL(operand.U8(7), square.As32())
	l.SHLXQ(square, file, file)
	l.ANDNQ(pinned, file, file) // pinned off the file
	push := l.GP64()
	l.ANDNQ(pawns, file, push)
	if l.stage != stageTactical {
		l.pushes(push)
	}
	if l.stage == stageQuiet {
		return
	}
	free := l.GP64()
	l.ANDNQ(pawns, pinned, free)
	l.captures(pawns, push, free)
	l.pinnedCaptures()
}

// pushes lists single and double pushes that do not promote.
func (l *moveLister) pushes(push reg.GPVirtual) {
	one := l.load(push)
	l.ANDQ(l.word(^l.side.seventh), one)
	one = l.shifted(one, l.side.forward, 0)
	l.ANDNQ(one, l.occ, one)
	two := l.load(one)
	l.ANDQ(l.word(l.side.single), two)
	two = l.shifted(two, l.side.forward, 0)
	l.ANDNQ(two, l.occ, two)
	l.ANDQ(l.check, one)
	l.ANDQ(l.check, two)
	l.pawns(l, one, l.side.forward)
	l.pawns(l, two, 2*l.side.forward)
}

// captures lists promotions and captures of pawns that are not pinned. Few
// positions have a pawn that may promote.
func (l *moveLister) captures(pawns, push, free reg.GPVirtual) {
	plain, end := l.label("noPromotion"), l.label("captured")
	hits := l.load(l.theirs)
	l.ANDQ(l.check, hits)
	west, east := l.shifted(free, l.side.west, wrapOf(l.side.west)), l.shifted(free, l.side.east, wrapOf(l.side.east))
	l.ANDQ(hits, west)
	l.ANDQ(hits, east)
	l.TESTQ(pawns, l.word(l.side.seventh))
	l.JZ(operand.LabelRef(plain))

	one := l.shifted(push, l.side.forward, 0)
	l.ANDNQ(one, l.occ, one)
	l.ANDQ(l.check, one)
	l.ANDQ(l.word(l.side.last), one)
	l.promotions(one, l.side.forward)
	for i, set := range []reg.GPVirtual{west, east} {
		by := []int{l.side.west, l.side.east}[i]
		last := l.load(set)
		l.ANDQ(l.word(l.side.last), last)
		l.XORQ(last, set)
		l.pawns(l, set, by)
		l.promotions(last, by)
	}
	l.JMP(operand.LabelRef(end))

	l.Label(plain)
	l.pawns(l, west, l.side.west)
	l.pawns(l, east, l.side.east)
	l.Label(end)
}

// promotions lists the four promotions on each square of to, which it empties,
// from the square by lower.
func (l *moveLister) promotions(to reg.GPVirtual, by int) {
	l.each("promotion", to, func(row reg.GPVirtual) {
		square := l.load(row)
		l.SHRQ(operand.U8(6), square)
		l.SUBQ(operand.I32(by*moveFrom), row)
		l.ADDQ(square, row)
		l.promote(row)
	})
}

// promote lists the four promotions of the pawn move.
func (l *moveLister) promote(move reg.GPVirtual) {
	l.ADDQ(operand.I32(movePromotion+3*movePiece), move)
	for range 3 {
		l.one(move)
		l.SUBQ(operand.I32(movePiece), move)
	}
	l.one(move)
}

// pinnedCaptures lists captures of pinned pawns, which stay on a diagonal of
// their king and so have one at most.
func (l *moveLister) pinnedCaptures() {
	pawns := l.of(setPawns, l.side.us)
	l.ANDQ(l.pinned, pawns)
	end := l.label("noPinnedPawn")
	l.JZ(operand.LabelRef(end))
	king := l.load(l.king)
	l.ANDQ(l.row(king, l.rays[bishops.piece]), pawns)
	l.each("pinnedPawn", pawns, func(row reg.GPVirtual) {
		next, plain := l.label("nextPinned"), l.label("plainCapture")
		one := l.GP64()
		l.BLSIQ(pawns, one)
		to := l.shifted(one, l.side.west, wrapOf(l.side.west))
		l.ORQ(l.shifted(one, l.side.east, wrapOf(l.side.east)), to)
		l.ANDQ(l.theirs, to)
		l.ANDQ(l.check, to)
		l.ANDQ(l.row(king, l.rays[bishops.piece]), to)
		l.ANDQ(l.row(row, l.rays[bishops.piece]), to)
		l.JZ(operand.LabelRef(next))
		square := l.GP64()
		l.TZCNTQ(to, square)
		l.ADDQ(row, square)
		l.TESTQ(to, l.word(l.side.last))
		l.JZ(operand.LabelRef(plain))
		l.promote(square)
		l.JMP(operand.LabelRef(next))
		l.Label(plain)
		l.one(square)
		l.Label(next)
	})
	l.Label(end)
}
