package games

import (
	"fmt"
	"slices"
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

// UnmarshalText reads a date like [ParseDate].
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// ParseDate reads a date as in a PGN tag, with hyphens or slashes too; what follows a year
// may be missing.
func ParseDate(text string) (Date, error) {
	var n [3]int
	for i, part := range strings.Split(strings.NewReplacer("-", ".", "/", ".").Replace(text), ".") {
		if i < 3 && part != "" && strings.Trim(part, "?") == "" {
			continue
		}
		v, err := strconv.ParseUint(part, 10, 16)
		if err != nil || i >= 3 || v > [3]uint64{9999, 12, 31}[i] {
			return 0, fmt.Errorf("date %.20q: want YEAR.MONTH.DAY", text)
		}
		n[i] = int(v)
	}
	return Date(n[0]<<9 | n[1]<<5 | n[2]), nil
}

// readDate returns what a tag says of a date, which programs write in many ways: year, month
// and day, or 17.5.2024, or 20240517. Where the month stands in 5/6/2024 depends on the country.
// What follows something that is no number is unknown, as is a date without a year of four digits.
func readDate(text string) (d Date) {
	parts := strings.FieldsFunc(text, func(c rune) bool { return c != '?' && (c < '0' || c > '9') })
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], "?")
	}
	isYear := func(part string) bool { return len(part) == 4 }
	switch year := slices.IndexFunc(parts, isYear); {
	case len(parts) == 1 && len(parts[0]) == 8:
		parts = []string{parts[0][:4], parts[0][4:6], parts[0][6:]}
	case year < 0:
		return 0
	case year == 2 && !strings.Contains(text, "/"):
		parts[0], parts[2] = parts[2], parts[0]
	case year > 0:
		parts = parts[year : year+1]
	}
	for i, part := range parts[:min(3, len(parts))] {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil || n == 0 || n > [3]uint64{9999, 12, 31}[i] {
			break
		}
		d |= Date(n) << [3]int{9, 5, 0}[i]
	}
	return d
}
