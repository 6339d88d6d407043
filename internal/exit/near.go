package exit

import "strings"

// DidYouMean returns what to add to the error for an unknown word: "; did you mean X?" with the known word that is
// nearest, or otherwise where no word is near.
func DidYouMean(word string, known []string, otherwise string) string {
	if near := Near(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return otherwise
}

// Near returns the known word that a mistyped one is nearest to, "" where none is near. Of three letters one may be
// wrong, missing, added or exchanged with the next; upper and lower case are the same.
func Near(word string, known []string) (near string) {
	least := len(word)/3 + 1
	for _, k := range known {
		if d := mistakes(strings.ToLower(word), strings.ToLower(k)); d < least {
			near, least = k, d
		}
	}
	return near
}

// mistakes returns how many letters have to be changed, added, removed or exchanged with the next to make b of a: the
// distance of optimal string alignment.
func mistakes(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
