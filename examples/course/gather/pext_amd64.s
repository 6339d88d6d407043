#include "textflag.h"

// func pext(word, mask uint64) uint64
TEXT ·pext(SB), NOSPLIT, $0-24
	MOVQ  word+0(FP), AX
	MOVQ  mask+8(FP), BX
	PEXTQ BX, AX, AX
	MOVQ  AX, ret+16(FP)
	RET
