package fit

import (
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/internal/exit"
)

// kingLayouts are the king buckets that have names, by rank from the first,
// files a to d. The own king stands on its first ranks most of the time.
func kingLayouts() map[string]string {
	return map[string]string{
		"1": strings.Repeat("0000", 8),
		"2": "0000" + strings.Repeat("1111", 7),
		"4": "0011" + "2222" + strings.Repeat("3333", 6),
		"6": "0123" + "4444" + strings.Repeat("5555", 6),
		"9": "0123" + "4455" + "6666" + strings.Repeat("7777", 2) + strings.Repeat("8888", 3),
	}
}

// ParseKings returns king buckets from the name of a layout (1, 2, 4, 6 or 9,
// the number of buckets), or from 32 characters 0-9 a-v, one a square: first
// rank first, files a to d.
func ParseKings(text string) ([32]uint8, error) {
	var kings [32]uint8
	if named, ok := kingLayouts()[text]; ok {
		text = named
	}
	if len(text) != len(kings) {
		return kings, exit.WrongUsef("king buckets %q: want 1, 2, 4, 6, 9 or 32 characters", text)
	}
	for i := range kings {
		b, err := strconv.ParseUint(text[i:i+1], 32, 8)
		if err != nil {
			return kings, exit.WrongUsef("king buckets: character %d is %q, want 0-9 or a-v", i+1, text[i:i+1])
		}
		kings[i] = uint8(b)
	}
	return kings, nil
}
