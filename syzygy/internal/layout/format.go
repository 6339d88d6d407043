package layout

// The first four bytes of a file, and the low bits of the fifth.
const (
	MagicWDL = "\x71\xe8\x23\x5d"
	MagicDTZ = "\xd7\x66\x0c\xa5"

	HeaderSplit = 1 // each side to move has its own part
	HeaderPawns = 2
)

// Flags of a part; all but the last are of DTZ tables.
const (
	FlagBlack     = 1    // the side to move that is stored: the second of the name
	FlagMapped    = 2    // values are looked up in a map
	FlagWinPlies  = 4    // wins are counted in plies, otherwise in moves
	FlagLossPlies = 8    // likewise losses
	FlagWide      = 0x10 // the map holds 16-bit numbers
	FlagSingle    = 0x80 // all values are the same
)

// MaxCode bounds the length of a code in bits; longer ones are in no table.
const MaxCode = 32

// Leaf is the right half of a symbol that is a value.
const Leaf = 0xfff
