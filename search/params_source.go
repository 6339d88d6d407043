package search

import (
	"fmt"
	"regexp"
	"strconv"
)

// rowDefault finds the row of a parameter in the source of [Params]: what comes
// before its default, the default, and what follows.
var rowDefault = regexp.MustCompile("(?m)^(\\t(\\w+) +int +`row:\")(-?\\d+)( in -?\\d+ to -?\\d+ by \\d+\".*)$")

// RewriteDefaults returns source, the text of the file that declares [Params],
// with the values of p as the defaults of the rows. An error says which row is
// missing from it or what is out of range.
func RewriteDefaults(source []byte, p Params) ([]byte, error) {
	values, rows := p.Values(), tunables()
	if err := new(Params).SetValues(values); err != nil {
		return nil, fmt.Errorf("search parameter %w", err)
	}
	at := make(map[string]int, len(rows))
	for i, row := range rows {
		at[row.Name] = i
	}
	found := make([]int, len(rows))
	out := rowDefault.ReplaceAllFunc(source, func(line []byte) []byte {
		m := rowDefault.FindSubmatch(line)
		i, ok := at[string(m[2])]
		if !ok {
			return line
		}
		found[i]++
		return append(strconv.AppendInt(append([]byte{}, m[1]...), int64(values[i]), 10), m[4]...)
	})
	for i, n := range found {
		if n != 1 {
			return nil, fmt.Errorf("row of %s: found %d times, want once", rows[i].Name, n)
		}
	}
	return out, nil
}
