package pgn

import (
	"strings"
	"unicode/utf8"
)

// windows1252 are the characters of Windows-1252 from byte 0x80 to 0x9f, those without one as
// the control characters of these numbers. Bytes above are the first characters of Unicode.
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

// toUTF8 returns a text with its bytes that are not UTF-8 read as Windows-1252, which older
// programs write.
func toUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	table := []rune(windows1252)
	var b strings.Builder
	for len(text) > 0 {
		c, n := utf8.DecodeRuneInString(text)
		if c == utf8.RuneError && n == 1 {
			if c = rune(text[0]); c < 0xa0 {
				c = table[c-0x80]
			}
		}
		b.WriteRune(c)
		text = text[n:]
	}
	return b.String()
}
