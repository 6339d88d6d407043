package pgn_test

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/pgn"
)

// texts are PGN, and as people and programs write it what is not quite that: what of each is read,
// "white/black: movetext" as written again, games apart by " | ", "ERR reason" for a bad one, and
// behind it in brackets the warning, where there is one.
var texts = []struct{ name, text, want string }{
	// As the standard has it.
	{"plain", "1. e4 e5 2. Nf3 1-0", "1. e4 e5 2. Nf3 1-0"},
	{"no spaces", "1.e4 e5 2.Nf3*", "1. e4 e5 2. Nf3 *"},
	{"numbers of every kind", "1 . e4 1... e5 2.Nf3 2...Nc6 3 Bb5 1/2-1/2", "1. e4 e5 2. Nf3 Nc6 3. Bb5 1/2-1/2"},
	{"no numbers", "e4 e5 0-1", "1. e4 e5 0-1"},
	{"no marker", "1. e4 e5", "1. e4 e5 *"},
	{"result of the tag without a marker", "[Result \"0-1\"]\n\n1. e4 e5", "1. e4 e5 0-1"},
	{"comments", "{a} {b} 1. e4 {c} {d} e5 ; e } f\n2. Nf3 *", "{a} {b} 1. e4 {c} {d} 1... e5 ;e } f⏎2. Nf3 *"},
	{"no nesting of braces", "1. e4 {a { b ( c ; d} e5 *", "1. e4 ;a { b ( c ; d⏎1... e5 *"},
	{"empty comment", "1. e4 {} {  } e5 *", "1. e4 e5 *"},
	{"comment over lines", "1. e4 {one\ntwo\r\nthree} e5 *", "1. e4 {one two three} 1... e5 *"},
	{"comment in place of tags", "1. e4 {\n[White \"x\"]\n} e5 *", "1. e4 {[White \"x\"]} 1... e5 *"},
	{"a semicolon comment at the end", "1. e4 ; last", "1. e4 {last} *"},
	{"NAGs", "1. e4 $1 $255 e5 $0 *", "1. e4 $1 $255 e5 $0 *"},
	{"marks", "1. e4! e5?? 2. Nf3!? Nc6 ?! 3. Bb5+!! *", "1. e4 $1 e5 $4 2. Nf3 $5 Nc6 $6 3. Bb5 $3 *"},
	{"variation", "1. e4 (1. d4 d5 2. c4) e5 *", "1. e4 (1. d4 d5 2. c4) 1... e5 *"},
	{"nested", "1. e4 e5 (1... c5 2. Nf3 (2. c3 {x} (2. d4)) 2... d6) (1... e6) 2. Nf3 *",
		"1. e4 e5 (1... c5 2. Nf3 (2. c3 {x} (2. d4)) 2... d6) (1... e6) 2. Nf3 *"},
	{"comment at the start of a variation", "1. e4 ({a} 1. d4) *", "1. e4 ({a} 1. d4) *"},
	{"comment behind a variation", "1. e4 (1. d4) {a} e5 *", "1. e4 {a} (1. d4) 1... e5 *"},
	{"variation of a comment alone", "1. e4 ({a}) () e5 *", "1. e4 ({a}) 1... e5 *"},
	{"variation of a null move", "1. d4 -- (1... e5) 2. Nc3 e5 3. Bf4 d6 4. Qd2 c6 5. O-O-O *",
		"1. d4 -- (1... e5) 2. Nc3 e5 3. Bf4 d6 4. Qd2 c6 5. O-O-O *"},
	{"figurines", "1. ♘f3 ♞f6 2.♙g3 (2. ♞c3!? ♟e5) ♟g6 *", "1. Nf3 Nf6 2. g3 (2. Nc3 $5 e5) 2... g6 *"},
	{"a value that goes on in the next line", "[White \"Anna\nBerg\"]\n[Black \"x\"]\n\n1. e4 *", "Anna Berg/x: 1. e4 *"},
	{"a value without an end", "[White \"Anna\n[Black \"x\"]\n\n1. e4 *", "Anna/x: 1. e4 * [the value of the tag White has no closing quote]"},
	{"escape lines", "% one\n1. e4\n%[two\ne5 *", "1. e4 e5 *"},
	{"Windows lines", "[Event \"x\"]\r\n\r\n1. e4\r\ne5 ; a\r\n2. d4 *\r\n", "1. e4 e5 {a} 2. d4 *"},
	{"no moves", "[Event \"x\"]\n\n*\n", "*"},
	{"a result alone", "1-0", "1-0"},
	{"FEN tag", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30\"]\n[SetUp \"1\"]\n\n30... Kd7 31. e4 *",
		"30... Kd7 31. e4 *"},
	{"Chess960", "[Variant \"Chess960\"]\n[FEN \"nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w KQkq - 0 1\"]\n\n1. g3 g6 2. Qg2 Qg7 3. O-O O-O *",
		"/ Variant=Chess960: 1. g3 g6 2. Qg2 Qg7 3. O-O O-O *"},
	{"Chess960 in a file of Shredder", "[Variant \"fischerandom\"]\n[FEN \"rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EAea - 0 1\"]\n\n1. O-O-O Kb7 2. Kc2 *",
		"/ Variant=fischerandom: 1. O-O-O Kb7 2. Kc2 *"},
	{"rights of a rook that has moved", fen("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1") + "1. Kd1 *",
		"1. Kd1 * [FEN castling: rights that only Chess960 has: dropped]"},
	{"the same, where a variation castles", fen("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1") + "1. Kd1 (1. O-O) *",
		"1. Kd1 (1. O-O) *"},
	{"a variant of Chess960", "[Variant \"Double Fischer Random\"]\n" + fen("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1") + "1. Kd1 *",
		"/ Variant=Double Fischer Random: 1. Kd1 *"},
	{"the same from a position that may be of Chess960", "[Variant \"From Position\"]\n" + fen("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1") + "1. O-O *",
		"/ Variant=From Position: 1. O-O *"},
	{"a knight behind a double push takes no pawn", "1. d4 Nc6 2. e3 Na5 3. b4 Nb3 4. axb3 a6 5. b5 *",
		"1. d4 Nc6 2. e3 Na5 3. b4 Nb3 4. axb3 a6 5. b5 *"},
	{"over-disambiguated", "1. e4 e5 2. Nc3 Nc6 3. Ng1e2 Ng8f6 4. d4 exd4 5. Ne2xd4 *",
		"1. e4 e5 2. Nc3 Nc6 3. Nge2 Nf6 4. d4 exd4 5. Nxd4 *"},
	{"disambiguated capture", "[FEN \"4k3/8/8/8/8/2N5/4b3/4K1N1 w - - 0 1\"]\n\n1. Ng1xe2 *", "1. Ngxe2 *"},
	{"long castling check", "[FEN \"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\n1. O-O-O+ Ke7 *", "1. O-O-O+ Ke7 *"},
	{"games one after another", "1. e4 * 1. d4 d5 1-0\n\n\n[White \"a\"]\n1. c4 0-1\n[White \"b\"]\n\n[Event \"no movetext\"]\n[Event \"c\"]\n\n1. f4\n[Event \"d\"]\n\n*{left over}\n",
		"1. e4 * | 1. d4 d5 1-0 | a/: 1. c4 0-1 | b/: * | 1. f4 * | {left over} *"},
	{"what looks like tags", traps,
		"/ Elo=1: 1. e4 {a comment [Site \"not a tag\"]} 1... e5 1-0 | / Elo=2: 1. d4 ;{ no brace⏎1-0 | / Elo=3: 1. c4 {x} {y} * [a comment that is not closed] | / Elo=4: 1. Nf3 * | / Elo=5: * | / Elo=6: * | / Elo=7: 1. e4 e5 1/2-1/2"},

	// Moves in other forms.
	{"UCI", "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 g8f6 4. e1g1 f6e4 *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 *"},
	{"UCI promotions and captures", fen("1r6/P7/8/8/8/8/k7/4K3 w - - 0 1") + "1. a7b8q a2a3 2. b8b1 *",
		"1. axb8=Q Ka3 2. Qb1 *"},
	{"UCI with marks", "1. g1f3!? g8f6?! 2. b1c3+ *", "1. Nf3 $5 Nf6 $6 2. Nc3 *"},
	{"king takes rook", fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1") + "1. e1h1 *", "1. O-O *"},
	{"long moves without letters", "1. e2-e4 e7-e5 2. g1-f3 b8-c6 3. f1-b5 g8-f6 4. e1-g1 f6xe4 5. f1-e1! *",
		"1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. Re1 $1 *"},
	{"long moves without letters, other signs", fen("r3k2r/8/8/3p4/4P3/8/8/R3K2R w KQkq - 0 1") + "1. e4:d5 e8–g8 2. E1-C1 +- f8−d8 *",
		"1. exd5 O-O 2. O-O-O $18 Rfd8 * [E1-C1: read as O-O-O]"},
	{"long promotions without letters", fen("1r6/P7/8/8/8/8/k7/4K3 w - - 0 1") + "1. a7xb8=q+ a2-a3 *", "1. axb8=Q Ka3 *"},
	{"long moves", "1. e2-e4 e7-e5 2. Ng1-f3 d7-d5 3. e4xd5 Qd8xd5 *", "1. e4 e5 2. Nf3 d5 3. exd5 Qxd5 *"},
	{"colons for captures", "1. e4 d5 2. e:d5 Q:d5 *", "1. e4 d5 2. exd5 Qxd5 *"},
	{"a sign for captures", "1. e4 d5 2. e×d5 Q×d5 *", "1. e4 d5 2. exd5 Qxd5 *"},
	{"promotions", fen("8/PPPP2k1/8/8/8/8/6K1/8 w - - 0 1") + "1. a8(Q) Kf7 2. b8=(R)! Kg7 3. c8/N Kf7 4. d8B *",
		"1. a8=Q Kf7 2. b8=R $1 Kg7 3. c8=N Kf7 4. d8=B *"},
	{"a promotion in parentheses with a mark", fen("8/P5k1/8/8/8/8/6K1/8 w - - 0 1") + "1. a8(q)! Kf7 *",
		"1. a8=Q $1 Kf7 *"},
	{"a variation right behind a pawn's move", "1. e4(d4)e5 *", "1. e4 (1. d4) 1... e5 *"},
	{"castling with dashes and zeros", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O–O d6 5. d3 Bg4 6. c3 Qd7 7. b4 0−0−0 *",
		"1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O d6 5. d3 Bg4 6. c3 Qd7 7. b4 O-O-O *"},
	{"castling with blanks", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O - O 0 – 0 *", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *"},
	{"castling in Cyrillic letters", fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1") + "1. О-О! *", "1. O-O $1 *"},
	{"figurines with a selector", "1. ♘\ufe0ef3 ♞\ufe0ff6 *", "1. Nf3 Nf6 *"},
	{"moves run together", "1.e4e5 2.Nf3Nc6 3.Bb5a6 4.O-ONf6 *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O Nf6 *"},
	{"moves run together, one of them illegal", "1.e4e5 2.Nf3Kc6 *", "1. e4 e5 2. Nf3 {Kc6} * [move \"Kc6\": illegal]"},
	{"moves between commas", "1. e4,e5 2. Nf3, Nc6, 3. Bb5; a6 *",
		"1. e4 e5 2. Nf3 Nc6 3. Bb5 {a6 *} * [\",\": dropped (and 2 more)]"},
	{"full stops behind moves", "1. e4. e5. 2. Nf3. Nc6. 1-0", "1. e4 e5 2. Nf3 Nc6 1-0"},
	{"commas behind all", "1. e4!, e5 $1, {c}, 2. Nf3 *", "1. e4 $1 e5 $1 {c} 2. Nf3 * [\",\": dropped (and 2 more)]"},
	{"a capture sign behind the move", "1. e4 d5 2. exd5x *", "1. e4 d5 2. exd5 * [\"x\": dropped]"},
	{"a number run into the move", "1e4 e5 2Nf3 *", "1. e4 e5 2. Nf3 *"},
	{"numbers without dots", "1 e4 e5 2 Nf3 Nc6 3 Bb5 *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 *"},
	{"numbers without dots that begin late", "40 e4 e5 41 Nf3 *", "1. e4 e5 2. Nf3 *"},
	{"numbers in parentheses", "1) e4 e5 2) Nf3 (2) f4 exf4) Nc6 *", "1. e4 e5 2. Nf3 (2. f4 exf4) 2... Nc6 *"},
	{"numbers and ellipses", "1. e4 1… e5 2.…Nf3 *", "1. e4 e5 2. Nf3 *"},
	{"dots apart", "1 . e4 1 ... e5 2. ... *", "1. e4 e5 *"},
	{"times beside the moves", "1. e4 12 e5 7 2. Nf3 35 *",
		"1. e4 {12} 1... e5 {7} 2. Nf3 {35} * [\"12\" is no move: kept as a comment (and 2 more)]"},
	{"values beside the moves", "1. e4 +0.25/12 e5 0.00 2. Nf3 -M5 Nc6 1,25 3. Bb5 (−0.3) a6 +#3 4.Ba4 5.0 0:05 *",
		"1. e4 {+0.25/12} 1... e5 {0.00} 2. Nf3 {-M5} 2... Nc6 {1,25} 3. Bb5 ({−0.3}) 3... a6 {+#3} 4. Ba4 {5.0} {0:05} *" +
			" [(and 7 more)]"},
	{"values behind assessments", "1. e4 +- 1.5 e5 = 0.00 *", "1. e4 $18 {1.5} 1... e5 $10 {0.00} * [(and 1 more)]"},
	{"numbers before castling and results", "1.e4 e5 2.Nf3 Nf6 3.Bc4 Bc5 4.0-0 0-0 5.1-0",
		"1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O 1-0"},
	{"the result behind the move", "1. e4 e5.1-0\n\n1. d4 d51-0\n\n1. c4+0-1", "1. e4 e5 1-0 | 1. d4 d5 1-0 | 1. c4 0-1"},
	{"East Asian width", "１．ｅ４，ｅ５。 *", "1. e4 e5 * [\",\": dropped]"},
	{"files in Cyrillic", "1. е4 с5 *", "1. e4 c5 *"},
	{"no-break spaces", "1.\u00a0e4\u00a0e5 2.\u202fNf3\u2009Nc6\ufeff 1-0", "1. e4 e5 2. Nf3 Nc6 1-0"},
	{"no-break spaces of Windows-1252", "1.\xa0e4 e5\xa02.\xa0Nf3 1-0", "1. e4 e5 2. Nf3 1-0"},
	{"control characters", "1. e4\x00 e5\x7f\n1-0\n\x1a", "1. e4 e5 1-0"},
	{"numbers with other signs", "1: e4 e5 2, Nf3 Nc6 3- Bb5 a6 4:Ba4 *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *"},
	{"Black's move alone, dots apart", "1. ... e5 2. Nf3 *", "1. -- e5 2. Nf3 * [no move of White before e5]"},
	{"Black's move alone", "1... e5 2. Nf3 *", "1. -- e5 2. Nf3 * [no move of White before e5]"},
	{"null moves", "1. e4 0000 2. d4 pass 3. c4 NULL 4. Nc3 <> 5. Nf3 -- 6. g3 Z0 7. h3 @@@@ 8. a3 --- *",
		"1. e4 -- 2. d4 -- 3. c4 -- 4. Nc3 -- 5. Nf3 -- 6. g3 -- 7. h3 -- 8. a3 -- *"},
	{"null moves with marks", "1. --!? e5 (1... ---? 2. e4) *", "1. -- $5 e5 (1... -- $2 2. e4) *"},
	{"null moves of three hyphens", "1. e4 e5 2. Nf3 (2. --- Nc6 3. Nf3 d6) 2... Nc6 *", "1. e4 e5 2. Nf3 (2. -- Nc6 3. Nf3 d6) 2... Nc6 *"},
	{"a null move in check", "1. e4 f6 2. Qh5+ -- 3. d4 g6 *", "1. e4 f6 2. Qh5+ -- 3. d4+ g6 *"},
	{"the king is taken", "1. e4 f6 2. Qh5+ -- 3. Qxe8 1-0", "1. e4 f6 2. Qh5+ -- {Qxe8} 1-0 [Qxe8 takes the king]"},

	// Marks and symbols.
	{"marks in one character", "1. e4‼ e5⁇ 2. Nf3⁉ Nc6⁈ *", "1. e4 $3 e5 $4 2. Nf3 $5 Nc6 $6 *"},
	{"marks in one character apart", "1. e4 ‼ e5 ⁇ *", "1. e4 $3 e5 $4 *"},
	{"too many marks", "1. e4!!! e5?!? *",
		"1. e4 {!!!} 1... e5 {?!?} * [\"!!!\" is no move: kept as a comment (and 1 more)]"},
	{"comments between marks", "1.e4 ! {good move} ? {but I don't like it} $16 *",
		"1. e4 $1 $2 $16 {good move} {but I don't like it} *"},
	{"comments behind numbers", "1. {x} e4 1. ... {[%depth20 +0.35]} e5 *", "{x} 1. e4 {[%depth20 +0.35]} 1... e5 *"},
	{"a letter for a pawn", "1. Pe4 *", "1. e4 *"},
	{"two marks", "1. e4! ! e5 *", "1. e4 $1 $1 e5 *"},
	{"assessments behind moves", "1. e4= e5∞ 2. Nf3± Nc6+− 3. Bb5+/= a6N *",
		"1. e4 $10 e5 $13 2. Nf3 $16 Nc6 $18 3. Bb5 $14 a6 $146 *"},
	{"assessments apart", "1. e4 +− e5 −+ 2. Nf3 =+ Nc6 TN D *", "1. e4 $18 e5 $19 2. Nf3 $15 Nc6 $146 $220 *"},
	{"symbols that say no side", "1. e4 =/∞ e5 ⯹ 2. Nf3☒ *", "1. e4 {=/∞} 1... e5 {⯹} 2. Nf3 {☒} * [(and 2 more)]"},
	{"better is", "1. e4 e5 (⌓1... c5) (RR 1... e6 □) *", "1. e4 e5 (1... c5 $142) (1... e6 $145 $7) *"},
	{"NAGs before the first move", "$10 1. e4 ($142 1. d4) *", "1. e4 $10 (1. d4 $142) *"},
	{"a mark before the first move", "!? 1. e4 *", "1. e4 $5 *"},
	{"NAGs without a move", "1. e4 ($142) * ", "1. e4 ({$142}) * [annotations without a move]"},
	{"large NAGs", "1. e4 $256 e5 $65535 $65536 *", "1. e4 $256 e5 $65535 * [\"$65536\": dropped]"},
	{"a NAG without a number", "1. e4 $ e5 *", "1. e4 e5 * [\"$\": dropped]"},
	{"check marks", "1. e4 f5 2. Qh5 ch g6 3. Qxg6ch. hxg6 *", "1. e4 f5 2. Qh5+ g6 3. Qxg6+ hxg6 *"},
	{"check marks in one character", "1. e4 f5 2. Qh5† g6 3. Qxg6‡ *", "1. e4 f5 2. Qh5+ g6 3. Qxg6+ *"},
	{"mates", "1. f3 e5 2. g4 Qh4mate 0-1", "1. f3 e5 2. g4 Qh4# 0-1"},
	{"mate apart", "1. f3 e5 2. g4 Qh4 ++ mate. 0-1", "1. f3 e5 2. g4 Qh4# 0-1"},
	{"a mate that is none", "1. e4 mate e5 *", "1. e4 {mate} 1... e5 * [\"mate\" is no move]"},
	{"en passant", "1. e4 a6 2. e5 d5 3. exd6ep+ cxd6 4. d4 h6 5. d5 e5 6. dxe6 e.p. *",
		"1. e4 a6 2. e5 d5 3. exd6 cxd6 4. d4 h6 5. d5 e5 6. dxe6 *"},
	{"en passant that is none", "1. e4 ep e5 *", "1. e4 {ep} 1... e5 * [\"ep\" is no move]"},
	{"a check that is none", "1. e4 + e5 *", "1. e4 e5 * [\"+\": dropped]"},

	// Words and signs.
	{"prose", "1. e4 e5 2. Nf3 White resigns, says the sheet. 1-0",
		"1. e4 e5 2. Nf3 {White resigns, says the sheet.} 1-0 [\"White\" is no move]"},
	{"prose behind a number", "1. e4 e5 2. Resigns 0-1", "1. e4 e5 {Resigns} 0-1 [\"Resigns\" is no move]"},
	{"prose in other letters", "1. e4 e5 Чёрные сдались 1-0", "1. e4 e5 {Чёрные сдались} 1-0 [is no move]"},
	{"prose in Windows-1252", "1. e4 e5 Schwarz gibt \xfcberraschend auf 1-0",
		"1. e4 e5 {Schwarz gibt überraschend auf} 1-0 [is no move]"},
	{"an address", "1. e4 https://lichess.org/" + strings.Repeat("abcdefg-", 10) + "a1b2 e5 *",
		"1. e4 {https://lichess.org/" + strings.Repeat("abcdefg-", 10) + "a1b2} 1... e5 * [is no move]"},
	{"a code of an opening", "1. e4 c5 B20 2. Nf3 *", "1. e4 c5 {B20} 2. Nf3 * [\"B20\" is no move]"},
	{"a percent sign inside a line", "1. e4 e5 % note 2. d4\n2. Nf3 *",
		"1. e4 e5 {note 2. d4} 2. Nf3 * [% inside a line]"},
	{"brackets", "1. e4 [note] e5 [%clk 0:01:00] *",
		"1. e4 {[note]} 1... e5 {[%clk 0:01:00]} * [\"[note]\" is no move: kept as a comment (and 1 more)]"},
	{"brackets at the start of a line", "1. e4\n[note] e5\n[White resigns] 1-0",
		"1. e4 {[note]} 1... e5 {[White resigns]} 1-0 [\"[note]\" is no move]"},
	{"quotes", "1. e4 \"best by test\" e5 \" *", "1. e4 {\"best by test\"} 1... e5 * [(and 1 more)]"},
	{"a table of games", "Game 1\n1. e4 e5 1-0\n\nGame 2\n1. d4 d5 0-1\n",
		"{Game} 1. e4 e5 {Game} 1-0 [\"Game\" is no move: kept as a comment (and 1 more)] | 1. d4 d5 0-1"},
	{"markup", "1. <b>e4</b> e5<br/> 2. Nf3 <= *",
		"{<b>} 1. e4 {</b>} 1... e5 {<br/>} 2. Nf3 $143 * [\"<b>\" is no move]"},
	{"characters by name", "1.&nbsp;e4&nbsp;e5 &#8211; 2. Nf3 *", "1. e4 e5 2. Nf3 * [\"&nbsp;\": dropped (and 2 more)]"},
	{"signs", "1. e4 > e5 ] - , 2. Nf3 } ) & *", "1. e4 e5 2. Nf3 * [\">\": dropped (and 6 more)]"},
	{"braces in braces", "1. e4 {good {very} good} e5 {{twice {three}}} 2. Nf3 *",
		"1. e4 ;good {very} good⏎1... e5 ;{twice {three}}⏎2. Nf3 *"},
	{"an opening brace in braces", "1. e4 {a { b} e5 {c} 2. Nf3 *", "1. e4 ;a { b⏎1... e5 {c} 2. Nf3 *"},
	{"a closing brace alone", "1. e4 {a}} e5 *", "1. e4 {a} 1... e5 * [\"}\": dropped]"},
	{"a comment that is not closed", "1. e4 e5 {open 2. Nf3", "1. e4 e5 {open 2. Nf3} * [not closed]"},
	{"a comment that is not closed, and a game", "1. e4 {open\n[Event \"x\"]\n[White \"w\"]\n\n1. d4 {x} *",
		"1. e4 {open} * [not closed] | w/: 1. d4 {x} *"},
	{"tags in a comment",
		"1. e4 {quote:\n[Event \"x\"]\n[White \"y\"]\nend} e5 *\n\n[Event \"z\"]\n[White \"w\"]\n\n1. d4 *",
		"1. e4 {quote: [Event \"x\"] [White \"y\"] end} 1... e5 * | w/: 1. d4 *"},
	{"a variation before the first move", "(1. d4 d5) 1. e4 (1. c4) e5 *", "1. e4 (1. d4 d5) (1. c4) 1... e5 *"},
	{"a variation in a variation before its first move", "1. e4 ((1. d4) 1. c4) e5 *",
		"1. e4 (1. c4 (1. d4)) 1... e5 *"},
	{"parentheses twice", "1. e4 ((1. d4 {x})) e5 *", "1. e4 (1. d4 {x}) 1... e5 *"},
	{"a variation of no move", "(1. d4) *", "* [a variation of no move: dropped]"},
	{"a variation that is not closed", "1. e4 (1. d4 d5 2. c4",
		"1. e4 (1. d4 d5 2. c4) * [a variation that is not closed]"},
	{"a variation closed twice", "1. e4 (1. d4)) e5 *", "1. e4 (1. d4) 1... e5 * [\")\": dropped]"},

	// Results.
	{"results with spaces", "1. e4 1 - 0\n\n1. d4 0 - 1\n\n1. c4 1/2 - 1/2\n\n1. f4 1/2 – 1/2",
		"1. e4 1-0 | 1. d4 0-1 | 1. c4 1/2-1/2 | 1. f4 1/2-1/2"},
	{"results in other signs", "1. e4 1:0\n\n1. d4 0–1\n\n1. c4 ½–½\n\n1. f4 ½\n\n1. g4 1/2\n\n1. h4 1-0.",
		"1. e4 1-0 | 1. d4 0-1 | 1. c4 1/2-1/2 | 1. f4 1/2-1/2 | 1. g4 1/2-1/2 | 1. h4 1-0"},
	{"halves", "1. e4 0.5-0.5\n\n1. d4 0,5-0,5", "1. e4 1/2-1/2 | 1. d4 1/2-1/2"},
	{"a draw in Windows-1252", "1. e4 \xbd-\xbd", "1. e4 1/2-1/2"},
	{"an asterisk against the tag", "[White \"w\"]\n[Result \"1-0\"]\n\n1. e4 *", "w/: 1. e4 1-0"},
	{"a result against the tag", "[White \"w\"]\n[Result \"1-0\"]\n\n1. e4 0-1",
		"w/: 1. e4 0-1 [the game ends in 0-1, and the tag Result is \"1-0\"]"},
	{"a draw of the tag", "[White \"w\"]\n[Result \"½–½\"]\n\n1. e4 *", "w/: 1. e4 1/2-1/2"},
	{"a result of another kind", "[White \"w\"]\n[Result \"won\"]\n\n1. e4 1-0",
		"w/: 1. e4 1-0 [the tag Result is \"won\"]"},
	{"both lose", "[White \"w\"]\n[Result \"0-0\"]\n\n1. f3 e5 2. g4 Qh4# 0-0\n\n[White \"x\"]\n\n1. e4 *",
		"w/: 1. f3 e5 2. g4 Qh4# * | x/: 1. e4 *"},
	{"both lose where castling is legal", "[White \"w\"]\n[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 0-0\n",
		"w/: 1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 *"},
	{"both lose, and why", "[White \"w\"]\n[Result \"0-0\"]\n\n1. f3 e5 0-0 {nobody came}\n", "w/: 1. f3 e5 {nobody came} *"},
	{"castling at the end", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 0-0\n", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O *"},
	{"a comment behind the result", "1. e4 1-0 {on time} ; really\n\n{so} 1. d4 *",
		"1. e4 {on time} {really} {so} 1-0 | 1. d4 *"},
	{"a comment behind the result of a game without moves", "[White \"w\"]\n\n1-0 {on time}\n\n[White \"x\"]\n\n*",
		"w/: {on time} 1-0 | x/: *"},
	{"prose behind the result", "1. e4 1-0 White won on time\n\n[White \"w\"]\n\n*",
		"1. e4 {White won on time} 1-0 [\"White\" is no move] | w/: *"},
	{"a NAG and a variation behind the result", "1. e4 e5 1-0 $5 (1... c5) ±", "1. e4 e5 $5 $16 (1... c5) 1-0"},
	{"moves behind the result", "1. e4 e5 1-0 2. Nf3 Nc6 1-0", "1. e4 e5 2. Nf3 Nc6 1-0 [moves behind the result 1-0]"},
	{"games without results", "1. e4 e5\n\n1. d4 d5 2. c4\n\n1.f4\n\n1... e5\n", "1. e4 e5 * [move 1 of another game] |" +
		" 1. d4 d5 2. c4 * [move 1 of another game] | 1. f4 e5 *"},
	{"a position with its own numbers", fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 40") + "1. e4\n\n1... Kd7\n\n2. e5 *",
		"40. e4 Kd7 41. e5 *"},
	{"the result twice", "1. e4 1-0 1-0\n1-0\n\n[White \"w\"]\n\n*", "1. e4 1-0 | w/: *"},
	{"two results", "1. e4 * 1-0 0-1", "1. e4 1-0 [a second result, 0-1: dropped]"},
	{"a result in a variation", "1. e4 (1. d4 1-0) (1. c4 *) e5 0-1",
		"1. e4 (1. d4 {1-0}) (1. c4) 1... e5 0-1 [the result 1-0 in a variation]"},

	// Tags.
	{"a name of two words", "[White \"w\"]\n[White ACPL \"31\"]\n\n*",
		"w/ White_ACPL=31: * [\"White ACPL\" is read as White_ACPL]"},
	{"a name with other letters", "[White \"w\"]\n[Größe.x \"31\"]\n\n*", "w/ Gr____e_x=31: * [is read as Gr____e_x]"},
	{"no quotes", "[White w]\n[WhiteElo 2100]\n[Black b [c]]\n\n1. e4 *", "w/b [c] WhiteElo=2100: 1. e4 *"},
	{"quotes of other kinds", "[White “w”]\n[Black 'b']\n[Site \x93s\x94]\n[Round ‘n’]\n[Result “1-0”]\n\n1. e4 *",
		"w/b Site=s Round=n: 1. e4 1-0"},
	{"no quotes, the next game too", "[Event a]\n[White w]\n\n1. e4 *\n[Event b]\n[White x]\n\n1. d4 *",
		"w/: 1. e4 * | x/: 1. d4 *"},
	{"no closing quote", "[White \"w]\n[Black \"b\"]\n\n1. e4 *", "w/b: 1. e4 * [White has no closing quote]"},
	{"no opening quote", "[White w\"]\n[Black \"b\"]\n\n1. e4 *", "w/b: 1. e4 * [White has no opening quote]"},
	{"no closing bracket", "[White \"w\"\n[Black \"b\"]\n[Site s\n\n1. e4 *",
		"w/b Site=s: 1. e4 * [White has no closing bracket (and 1 more)]"},
	{"two closing brackets", "[White \"w\"]]\n[Black \"b\"]\n\n1. e4 *", "w/b: 1. e4 * [\"]\": dropped]"},
	{"no value", "[White ]\n[Black \"b\"]\n[Site]\n\n1. e4 *", "/b: {[Site]} 1. e4 * [\"[Site]\" is no move]"},
	{"no name", "[ \"x\"]\n[White \"w\"]\n\n1. e4 *", "w/: {[ \"x\"]} 1. e4 * [is no move]"},
	{"a backslash at the end", `[White "C:\games\"]` + "\n[Black \"b\"]\n\n1. e4 *", `C:\games\/b: 1. e4 *`},
	{"quotes in the value", `[White "The "Big" One"]` + "\n" + `[Black "\"b\""]` + "\n\n1. e4 *",
		`The "Big" One/"b": 1. e4 *`},
	{"other letters",
		"[white \"w\"]\n[BLACK \"b\"]\n[Setup \"1\"]\n" +
			"[fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[Result \"*\"]\n\n1. e4 Ke7 *",
		"w/b: 1. e4 Ke7 *"},
	{"all on one line", "[White \"w\"][Black \"b\"]\t[Site \"s\"] 1. e4 1-0[Event \"x\"][White \"x\"] 1. d4 *",
		"w/b Site=s: 1. e4 1-0 | x/: 1. d4 *"},
	{"the next game on the line", "1. e4 e5 [Event \"x\"]\n[White \"w\"]\n\n1. d4 *", "1. e4 e5 * | w/: 1. d4 *"},
	{"indented", "  [White \"w\"]\n  [Black \"b\"]\n\n  1. e4 e5\n  \n\t[White \"x\"]\n\n  1. d4 *",
		"w/b: 1. e4 e5 * | x/: 1. d4 *"},
	{"byte order marks between games", "\ufeff[White \"w\"]\n\n1. e4 *\n\n\ufeff[White \"x\"]\n\n1. d4 *",
		"w/: 1. e4 * | x/: 1. d4 *"},
	{"games of tags alone", "[White \"w\"]\n[Result \"1-0\"]\n\n[White \"x\"]\n[Result \"0-1\"]\n\n\n[White \"y\"]",
		"w/: 1-0 | x/: 0-1 | y/: *"},
	{"an empty line among the tags", "[White \"w\"]\n\n[Black \"b\"]\n\n1. e4 *", "w/b: 1. e4 *"},
	{"a comment among the tags", "[White \"w\"]\n{c}\n[Black \"b\"]\n; d\n\n1. e4 *", "w/b: {c} {d} 1. e4 *"},
	{"a word among the tags", "[White \"w\"] hello\n[Black \"b\"]\n\n1. e4 *",
		"w/b: {hello} 1. e4 * [\"hello\" is no move]"},
	{"prose before the tags", "Dear all,\nhere are the games of round 3.\n\n[White \"w\"]\n\n1. e4 *",
		"w/: {Dear all, here are the games of round} 1. e4 * [\"Dear\" is no move]"},
	{"CR alone", "[White \"w\"]\r[Black \"b\"]\r\r1. e4 ; best\re5 2. Kf6\r\r[White \"x\"]\r\r% gone\r1. d4\r\n*\r",
		"w/b: 1. e4 {best} 1... e5 {Kf6} * [illegal] | x/: 1. d4 *"},
	{"standard chess by other names",
		"[White \"w\"]\n[Variant \"Classical\"]\n\n1. e4 *\n\n" +
			"[White \"x\"]\n[Variant \"wild/fr\"]\n\n1. d4 *",
		"w/ Variant=Classical: 1. e4 * | x/ Variant=wild/fr: 1. d4 *"},
	{"the name of an opening as a variant", "[White \"w\"]\n[Variant \"Closed, 9...Nb8\"]\n\n1. e4 *",
		"w/ Variant=Closed, 9...Nb8: 1. e4 * [read as standard chess]"},
	{"castling rights that cannot be", fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 1") + "1. e4 e5 *",
		"1. e4 e5 * ['K', but white has no such rook (at byte 46): castling rights K dropped]"},
	{"an en-passant square that cannot be", fen("k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1") + "1. Kf1 Ka7 *",
		"1. Kf1 Ka7 * [in check before the double push to d5 (at byte 27): square d6 dropped]"},
	{"a FEN with underscores", fen("4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1") + "1. e4 *", "1. e4 *"},
	{"a FEN by name", fen("startpos") + "1. e4 *", "1. e4 *"},

	// What is refused.
	{"a bad game among games without tags", "1. e4 e5 1-0\n\n1. e4 Ke5 1-0\n\n1. Ke2 1-0\n\n1. d4 d5 0-1",
		"1. e4 e5 1-0 | 1. e4 {Ke5} 1-0 [illegal] | ERR illegal | 1. d4 d5 0-1"},
	{"a bad move, and an empty line in the game", "1. Ke5\n\n2. Nf3\n\n1... e5\n\n1. d4 *", "ERR illegal | 1. d4 *"},
	{"a bad FEN, and the moves of its game", fen("4k3/8/8/8/8/8/8/8 w - - 0 1") + "1. e4 e5 *\n\n1. d4 *", "ERR white has 0 kings | 1. d4 *"},
	{"German", "1. Sf3 Sc6 *", "ERR move \"Sf3\": unexpected 'S'"},
	{"German behind moves", "1. e4 e5 2. Sf3 Sc6 *", "1. e4 e5 {Sf3 Sc6} * [move \"Sf3\": unexpected 'S']"},
	{"Russian", "1. Кf3 *", "ERR move \"Кf3\""},
	{"small letters", "1. e4 e5 2. nf3 nc6 3.bc4 *",
		"1. e4 e5 2. Nf3 Nc6 {bc4} * [before it (and 2 more)]"},
	{"letters of the wrong case with marks", "1. E4! e5 2. NF3?! nc6!!! 3.Bc4BC5! *",
		"1. e4 $1 e5 2. Nf3 $6 Nc6 {!!!} 3. Bc4 Bc5 $1 * [E4: read as e4 (and 4 more)]"},
	{"capital files", "1. E4 e5 2. NF3 *", "1. e4 e5 2. Nf3 * [E4: read as e4 (and 1 more)]"},
	{"a German piece alone", "1. e4 e5 2. S f3 *", "1. e4 e5 {S f3} * [move \"S\"]"},
	{"a piece apart from its square", "1. e4 e5 2. N f3 *", "1. e4 e5 {N f3} * [move \"N\"]"},
	{"a piece apart from its square, without a number", "1. d4 N f6 2. c4 *", "1. d4 $146 f6 2. c4 * [\"N\" before f6: read as $146]"},
	{"a novelty", "1. d4 N d6 2. c4 N *", "1. d4 $146 d6 2. c4 $146 *"},
	{"a novelty, without blanks", "1.d4 N d6 2.c4 N *", "1. d4 $146 d6 2. c4 $146 *"},
	{"a move cut off behind its letter", "1. e4 e5 2. N", "1. e4 e5 {N} * [\"N\" is no move: kept as a comment]"},
	{"the signature of a letter", "1. e4 e5 1-0\n\n-- \nJohn Smith\n", "1. e4 e5 {John Smith} 1-0 [unexpected \"--\": dropped (and 1 more)]"},
	{"a German promotion", fen("8/P5k1/8/8/8/8/6K1/8 w - - 0 1") + "1. a8D *", "ERR promotion to 'D'"},
	{"a promotion that is none", "1. e4=Q e5 *", "ERR move \"e4=Q\""},
	{"descriptive", "1. P-K4 P-K4 2. N-KB3 *", "ERR move \"P-K4\""},
	{"descriptive, with a check", "1. e4 e5 2. Q-R5ch *", "1. e4 e5 {Q-R5ch} * [move \"Q-R5ch\"]"},
	{"castling that is illegal, with blanks", "1. e4 e5 2. 0 - 0 *", "1. e4 e5 {0-0} * [illegal]"},
	{"castling without dashes", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. OO *", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 {OO} * [move \"OO\"]"},
	{"castling by zeros without dashes", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 00 *", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 {00} * [move \"00\"]"},
	{"numeric", "1. 5254 5755 *", "ERR move \"5254\": want moves in algebraic notation"},
	{"drops", "1. e4 e5 2. Nf3 N@h5 *", "1. e4 e5 2. Nf3 {N@h5} * [move \"N@h5\"]"},
	{"a pawn's capture without the rank", "1. e4 d5 2. ed *", "1. e4 d5 {ed} * [move \"ed\"]"},
	{"the same with a check", "1. e4 f5 2. ef+ *", "1. e4 f5 {ef+} * [move \"ef+\"]"},
	{"the same with a promotion", fen("1r5k/P7/8/8/8/8/8/K7 w - - 0 1") + "1. ab=Q *", "ERR move \"ab=Q\""},
	{"an illegal move", "1. e4 e5 2. Ke3 d6 *", "1. e4 e5 {Ke3 d6} * [move \"Ke3\": illegal in]"},
	{"an illegal move first", "1. Ke3 e5 *", "ERR illegal"},
	{"an ambiguous move behind others", fen("6k1/8/8/8/8/8/K7/R6R w - - 0 1") + "1. Kb2 Kg7 2. Rd1 Kf6 1/2-1/2",
		"1. Kb2 Kg7 {Rd1 Kf6} 1/2-1/2 [ambiguous: a1d1 or h1d1]"},
	{"what follows an illegal move", "1. e4 {[%clk 0:03:00]} e5 2. Ke3 {[%clk 0:02:00] why} (2. Nf3 1-0 {x}) Nf6 $4 3. d4! exd4\n% no\n4. 0 - 0 ; odd\n 1 - 0 {so} 5. h4 0-1\n\n[White \"w\"]\n\n1. d4 *",
		"1. e4 {[%clk 0:03:00]} 1... e5 {Ke3 [clk 0:02:00] why (2. Nf3 1-0 x) Nf6 $4 3. d4! exd4 4. 0-0 odd} {so} {5. h4} 1-0" +
			" [before it (and 2 more)] | w/: 1. d4 *"},
	{"an illegal move behind warnings, and no result", "1. e4, e5 2. Ke3 d6\n\n[White \"w\"]\n\n1. d4 *",
		"1. e4 e5 {Ke3 d6} * [before it (and 1 more)] | w/: 1. d4 *"},
	{"an illegal move in a game without tags or a result", "1. e4 e5 2. Ke3 d6\n\n1. d4 d5 *",
		"1. e4 e5 {Ke3 d6} * [before it (and 1 more)] | 1. d4 d5 *"},
	{"an illegal move, and the result of the tag", "[White \"w\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Ke3 (2. d4", "w/: 1. e4 e5 {Ke3 (2. d4} 0-1 [illegal]"},
	{"a game of tags behind an illegal move", "1. e4 Ke3 *\n\n[White \"w\"]\n\n*", "1. e4 {Ke3} * [illegal] | w/: *"},
	{"an illegal move in a variation", "1. e4 (1. d4 Ke3 2. c4 {why} (2. Nf3 $1) 2... d5) e5 2. Nf3 *",
		"1. e4 (1. d4 {Ke3 2. c4 why (2. Nf3 $1) 2... d5}) 1... e5 2. Nf3 * [move \"Ke3\": illegal]"},
	{"an illegal move first in a variation of a variation", "1. e4 (1. d4 (1. Sf3 d5) d5) e5 *",
		"1. e4 (1. d4 ({Sf3 d5}) 1... d5) 1... e5 * [move \"Sf3\"]"},
	{"an illegal move in a variation that is not closed", "1. e4 (1. Ke5 e5\n\n[Event \"x\"]\n\n1. d4 *", "1. e4 ({Ke5 e5}) * [move \"Ke5\": illegal] | 1. d4 *"},
	{"an illegal move in long form", "1. Nf3xe5 *", "ERR move \"Nf3xe5\""},
	{"ambiguous", fen("6k1/8/8/8/8/8/K7/R6R w - - 0 1") + "1. Rd1 *", "ERR ambiguous"},
	{"another variant", "[White \"w\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n" +
		"[White \"x\"]\n[Variant \"Three-check\"]\n\n1. d4 *",
		"ERR unknown variant \"Atomic\" | ERR unknown variant \"Three-check\""},
	{"a FEN with operations", fen("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 1; fmvn 7;") + "7. e4 *", "ERR more than six"},
	{"UTF-16", "\xff\xfe[\x00E\x00v\x00\n\x001\x00.\x00 \x00e\x004\x00", "ERR UTF-16"},
	{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00abc\ndef", "ERR packed by gzip"},
	{"xz", "\xfd7zXZ\x00abc\n\n[Event \"x\"]\n\n*", "ERR packed by xz"},
	{"UTF-16 without a mark", "\x00[\x00E\x00v\x00\n\x001\x00.\x00 \x00e\x004", "ERR UTF-16"},
	{"no PGN", "Dear all, no games today.\n", "ERR neither tags nor moves"},
	{"a comment alone", "{no games today}\n", "ERR neither tags nor moves"},
	{"nothing", " \n\n% nothing\n", ""},
}

// fen returns the tags of a start position.
func fen(text string) string { return "[FEN \"" + text + "\"]\n\n" }

// told returns the games of a text as the table has them.
func told(t *testing.T, games iter.Seq2[*pgn.Game, error]) string {
	t.Helper()
	var all []string
	for g, err := range games {
		if err != nil {
			all = append(all, "ERR "+err.Error())
			continue
		}
		text := movetext(t, g)
		names := g.Tag("White") + "/" + g.Tag("Black")
		for _, tag := range g.Tags {
			if !strings.Contains("Event White Black Result FEN SetUp", tag.Name) {
				names += " " + tag.Name + "=" + tag.Value
			}
		}
		if len(names) > 1 {
			text = names + ": " + text
		}
		if g.Warning != nil {
			text += fmt.Sprintf(" [%s]", g.Warning.Reason)
		}
		all = append(all, text)
	}
	return strings.Join(all, " | ")
}

// agrees reports whether what was told is what the table has: errors and warnings in part.
func agrees(got, want string) bool {
	gots, wants := strings.Split(got, " | "), strings.Split(want, " | ")
	if len(gots) != len(wants) {
		return false
	}
	for i, w := range wants {
		text, warning, warned := w, "", strings.HasSuffix(w, "]")
		if j := strings.LastIndex(w, " ["); warned {
			text, warning = w[:j], w[j+2:len(w)-1]
		}
		switch g := gots[i]; {
		case strings.HasPrefix(w, "ERR "):
			if !strings.HasPrefix(g, "ERR ") || !strings.Contains(g, strings.TrimPrefix(w, "ERR ")) {
				return false
			}
		case !warned && g != w, warned && (!strings.HasPrefix(g, text+" [") || !strings.Contains(g, warning)):
			return false
		}
	}
	return true
}

// TestTexts reads each text, whole, in pieces and by its tags first; what is written of it reads
// back as the same, without a word lost.
func TestTexts(t *testing.T) {
	for _, c := range texts {
		t.Run(c.name, func(t *testing.T) {
			got := told(t, pgn.NewReader(strings.NewReader(c.text)).Games())
			if !agrees(got, strings.ReplaceAll(c.want, "⏎", " ")) {
				t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
			}
			for _, pieces := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
				if again := told(t, pgn.NewReader(pieces(strings.NewReader(c.text))).Games()); again != got {
					t.Errorf("%q\nin pieces %s\nwhole     %s", c.text, again, got)
				}
			}
			if again := told(t, byTags(c.text)); again != got {
				t.Errorf("%q\nby tags %s\nwhole   %s", c.text, again, got)
			}
			if again := told(t, pgn.Parallel(strings.NewReader(c.text), 2)); again != got {
				t.Errorf("%q\nparallel %s\nwhole    %s", c.text, again, got)
			}
			var tags, passed []string // of the games that have any, all read and moves passed over
			for g, err := range pgn.NewReader(strings.NewReader(c.text)).Games() {
				if err != nil {
					return
				}
				roundTrip(t, g)
				tags = append(tags, fmt.Sprint(g.Tags))
			}
			r := pgn.NewReader(iotest.HalfReader(strings.NewReader(c.text)))
			for g, err := r.ReadTags(); err != io.EOF; g, err = r.ReadTags() {
				passed = append(passed, fmt.Sprint(g.Tags))
			}
			none := func(text string) bool { return text == "[]" }
			if d := cmp.Diff(slices.DeleteFunc(tags, none), slices.DeleteFunc(passed, none)); d != "" {
				t.Errorf("%q\ntags (-read +passed over):\n%s", c.text, d)
			}
		})
	}
}

// byTags reads the games of a text by their tags, then their moves.
func byTags(text string) iter.Seq2[*pgn.Game, error] {
	return func(yield func(*pgn.Game, error) bool) {
		r := pgn.NewReader(strings.NewReader(text))
		for {
			g, err := r.ReadTags()
			if err == nil {
				err = r.ReadMoves(g)
			}
			if err == io.EOF || !yield(g, err) {
				return
			}
		}
	}
}

// TestWarningPlace holds where a warning is said to be, and that it is one for each game.
func TestWarningPlace(t *testing.T) {
	games, errs := readAll("[Event \"a\"]\n\n1. e4 e5\n2. Nf3 Resigns {x} now 1-0\n\n" +
		"[Event \"b\"]\n\n1. e4,\n*\n\n[Event \"c\"]\n\n1. e4 *\n")
	var got []string
	for _, g := range games {
		got = append(got, fmt.Sprint(g.Warning))
	}
	want := []string{
		`game 1, line 4, column 8: "Resigns" is no move: kept as a comment (and 1 more)`,
		`game 2, line 8, column 6: unexpected ",": dropped`, "<nil>",
	}
	if d := cmp.Diff(want, got); d != "" || len(errs) > 0 {
		t.Errorf("%v (-want +got):\n%s", errs, d)
	}
}
