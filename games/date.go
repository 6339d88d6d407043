package games

import (
	"fmt"
	"strconv"
	"strings"
)

// Date is a day as PGN has it: month and day may be unknown. The zero Date is an
// unknown one, and Dates are in order.
type Date uint32

// dateBits is the number of bits of a Date: year, four of the month, five of the day.
const dateBits = 14 + 4 + 5

// Year returns the year, 0 where it is unknown.
func (d Date) Year() int { return int(d >> 9) }

// last returns the last day that a date may mean.
func (d Date) last() Date {
	if d>>5&15 == 0 {
		d |= 15 << 5
	}
	if d&31 == 0 {
		d |= 31
	}
	return d
}

// String returns the date as in a PGN tag, such as "2024.05.??".
func (d Date) String() string {
	text := fmt.Sprintf("%04d.%02d.%02d", d.Year(), d>>5&15, d&31)
	return strings.ReplaceAll(strings.ReplaceAll(text, "0000", "????"), ".00", ".??")
}

// ParseDate reads a date as in a PGN tag; what follows a year may be missing.
func ParseDate(text string) (Date, error) {
	var n [3]int
	for i, part := range strings.Split(text, ".") {
		if i < 3 && part != "" && strings.Trim(part, "?") == "" {
			continue
		}
		v, err := strconv.Atoi(part)
		if err != nil || i >= 3 || v < 0 || v > [3]int{9999, 12, 31}[i] {
			return 0, fmt.Errorf("date %.20q: want YEAR.MONTH.DAY", text)
		}
		n[i] = v
	}
	return Date(n[0]<<9 | n[1]<<5 | n[2]), nil
}
