package games

import "testing"

func TestDate(t *testing.T) {
	for _, tt := range []struct {
		text, printed string
		year          int
		last          Date
	}{
		{"2024.05.17", "2024.05.17", 2024, 2024<<9 | 5<<5 | 17},
		{"2024.05.??", "2024.05.??", 2024, 2024<<9 | 5<<5 | 31},
		{"2024.??.??", "2024.??.??", 2024, 2024<<9 | 15<<5 | 31},
		{"2024", "2024.??.??", 2024, 2024<<9 | 15<<5 | 31},
		{"9999.12.31", "9999.12.31", 9999, 9999<<9 | 12<<5 | 31},
		{"0.0.0", "????.??.??", 0, 15<<5 | 31},
		{"????.??.??", "????.??.??", 0, 15<<5 | 31},
	} {
		d, err := ParseDate(tt.text)
		if err != nil || d.String() != tt.printed || d.Year() != tt.year || d.last() != tt.last {
			t.Errorf("%q: %v, year %d, last %d, %v; want %s, %d, %d", tt.text, d, d.Year(), d.last(), err, tt.printed, tt.year, tt.last)
		}
	}
	for _, text := range []string{"", "x", "10000", "2024.13.01", "2024.12.32", "2024.-1.01", "2024.1.1.", "2024.1.1.?", "2024.1.1.1", "2024..1"} {
		if d, err := ParseDate(text); err == nil {
			t.Errorf("%q is read as %v", text, d)
		}
	}
}
