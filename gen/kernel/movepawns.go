package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// listPawns lists the moves of pawns but for en passant.
func (l *moveLister) listPawns() {
	l.asm.Comment("pawns: a pinned one pushes along its king's file only")
	pawns, pinned, square := l.of(setPawns, l.side.us), l.load(l.pinned), l.load(l.king)
	file := l.asm.GP64()
	l.asm.MOVQ(operand.U64(^uint64(notA)), file)
	l.asm.SHRQ(operand.U8(6), square)
	l.asm.ANDL(operand.U8(7), square.As32())
	l.asm.SHLXQ(square, file, file)
	l.asm.ANDNQ(pinned, file, file) // pinned off the file
	push := l.asm.GP64()
	l.asm.ANDNQ(pawns, file, push)
	if l.stage != stageTactical {
		l.pushes(push)
	}
	if l.stage == stageQuiet {
		return
	}
	free := l.asm.GP64()
	l.asm.ANDNQ(pawns, pinned, free)
	l.captures(pawns, push, free)
	l.pinnedCaptures()
}

// pushes lists single and double pushes that do not promote.
func (l *moveLister) pushes(push reg.GPVirtual) {
	one := l.load(push)
	l.asm.ANDQ(l.word(^l.side.seventh), one)
	one = l.shifted(one, l.side.forward, 0)
	l.asm.ANDNQ(one, l.occ, one)
	two := l.load(one)
	l.asm.ANDQ(l.word(l.side.single), two)
	two = l.shifted(two, l.side.forward, 0)
	l.asm.ANDNQ(two, l.occ, two)
	l.asm.ANDQ(l.check, one)
	l.asm.ANDQ(l.check, two)
	l.pawns(l, one, l.side.forward)
	l.pawns(l, two, 2*l.side.forward)
}

// captures lists promotions and captures of pawns that are not pinned. Few
// positions have a pawn that may promote.
func (l *moveLister) captures(pawns, push, free reg.GPVirtual) {
	plain, end := l.label("noPromotion"), l.label("captured")
	hits := l.load(l.theirs)
	l.asm.ANDQ(l.check, hits)
	west, east := l.shifted(free, l.side.west, wrapOf(l.side.west)), l.shifted(free, l.side.east, wrapOf(l.side.east))
	l.asm.ANDQ(hits, west)
	l.asm.ANDQ(hits, east)
	l.asm.TESTQ(pawns, l.word(l.side.seventh))
	l.asm.JZ(operand.LabelRef(plain))

	one := l.shifted(push, l.side.forward, 0)
	l.asm.ANDNQ(one, l.occ, one)
	l.asm.ANDQ(l.check, one)
	l.asm.ANDQ(l.word(l.side.last), one)
	l.promotions(one, l.side.forward)
	for i, set := range []reg.GPVirtual{west, east} {
		by := []int{l.side.west, l.side.east}[i]
		last := l.load(set)
		l.asm.ANDQ(l.word(l.side.last), last)
		l.asm.XORQ(last, set)
		l.pawns(l, set, by)
		l.promotions(last, by)
	}
	l.asm.JMP(operand.LabelRef(end))

	l.asm.Label(plain)
	l.pawns(l, west, l.side.west)
	l.pawns(l, east, l.side.east)
	l.asm.Label(end)
}

// promotions lists the four promotions on each square of to, which it empties,
// from the square by lower.
func (l *moveLister) promotions(to reg.GPVirtual, by int) {
	l.each("promotion", to, func(row reg.GPVirtual) {
		square := l.load(row)
		l.asm.SHRQ(operand.U8(6), square)
		l.asm.SUBQ(operand.I32(by*moveFrom), row)
		l.asm.ADDQ(square, row)
		l.promote(row)
	})
}

// promote lists the four promotions of the pawn move.
func (l *moveLister) promote(move reg.GPVirtual) {
	l.asm.ADDQ(operand.I32(movePromotion+3*movePiece), move)
	for range 3 {
		l.one(move)
		l.asm.SUBQ(operand.I32(movePiece), move)
	}
	l.one(move)
}

// pinnedCaptures lists captures of pinned pawns, which stay on a diagonal of
// their king and so have one at most.
func (l *moveLister) pinnedCaptures() {
	pawns := l.of(setPawns, l.side.us)
	l.asm.ANDQ(l.pinned, pawns)
	end := l.label("noPinnedPawn")
	l.asm.JZ(operand.LabelRef(end))
	king := l.load(l.king)
	l.asm.ANDQ(l.row(king, bishops.rays), pawns)
	l.each("pinnedPawn", pawns, func(row reg.GPVirtual) {
		next, plain := l.label("nextPinned"), l.label("plainCapture")
		one := l.asm.GP64()
		l.asm.BLSIQ(pawns, one)
		to := l.shifted(one, l.side.west, wrapOf(l.side.west))
		l.asm.ORQ(l.shifted(one, l.side.east, wrapOf(l.side.east)), to)
		l.asm.ANDQ(l.theirs, to)
		l.asm.ANDQ(l.check, to)
		l.asm.ANDQ(l.row(king, bishops.rays), to)
		l.asm.ANDQ(l.row(row, bishops.rays), to)
		l.asm.JZ(operand.LabelRef(next))
		square := l.asm.GP64()
		l.asm.TZCNTQ(to, square)
		l.asm.ADDQ(row, square)
		l.asm.TESTQ(to, l.word(l.side.last))
		l.asm.JZ(operand.LabelRef(plain))
		l.promote(square)
		l.asm.JMP(operand.LabelRef(next))
		l.asm.Label(plain)
		l.one(square)
		l.asm.Label(next)
	})
	l.asm.Label(end)
}
