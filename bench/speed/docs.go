package speed

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/internal/files"
)

// The measured parts of a document stand between markers, so that no figure in
// it is ever typed by hand:
//
//	<!-- measured:table -->…<!-- end -->         the table of all generators
//	<!-- measured:machine -->…<!-- end -->       what it was measured on
//	<!-- measured:ratio pext magic -->…<!-- end -->  the first's speed over the second's
const (
	markerBegin = "<!-- measured:"
	markerClose = " -->"
	markerEnd   = "<!-- end -->"
)

// rewrite replaces the measured parts of a file.
func (r *Report) rewrite(name string) error {
	text, err := files.Read(name)
	if err != nil {
		return err
	}
	changed, err := r.fill(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return files.Write(name, []byte(changed))
}

// checkMarkers returns the error that rewrite would, but for writing: better
// known before minutes of measuring.
func checkMarkers(name string) error {
	text, err := files.Read(name)
	if err != nil {
		return err
	}
	if _, err := new(Report).fill(string(text)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// fill replaces the measured parts of a text. Errors: no marker at all, a
// marker without an end, one that asks for what is not known.
func (r *Report) fill(text string) (string, error) {
	var out strings.Builder
	for found := false; ; found = true {
		before, rest, ok := strings.Cut(text, markerBegin)
		out.WriteString(before)
		if !ok {
			if !found {
				return "", fmt.Errorf("no %q marker", markerBegin)
			}
			return out.String(), nil
		}
		what, rest, ok := strings.Cut(rest, markerClose)
		if !ok {
			return "", fmt.Errorf("a marker is not closed: %q", markerBegin)
		}
		_, after, ok := strings.Cut(rest, markerEnd)
		if !ok {
			return "", fmt.Errorf("marker %q has no %q", what, markerEnd)
		}
		value, err := r.measured(strings.Fields(what))
		if err != nil {
			return "", fmt.Errorf("marker %q: %w", what, err)
		}
		out.WriteString(markerBegin + what + markerClose + value + markerEnd)
		text = after
	}
}

// measured returns the text that a marker asks for.
func (r *Report) measured(what []string) (string, error) {
	switch {
	case len(what) == 1 && what[0] == "table":
		return "\n" + r.markdown(), nil
	case len(what) == 1 && what[0] == "machine":
		return fmt.Sprintf("%s, %s, %s, median of %d rounds", r.Machine.Processor, r.Machine.System, r.Machine.Go, r.Rounds), nil
	case len(what) == 3 && what[0] == "ratio":
		a, okA, errA := r.speed(what[1])
		b, okB, errB := r.speed(what[2])
		if errA != nil || errB != nil || !okA || !okB {
			return "not measured on this machine", cmp.Or(errA, errB)
		}
		return fmt.Sprintf("**%s**", times(a.Ratio/b.Ratio)), nil
	}
	return "", fmt.Errorf("want table, machine or ratio NAME NAME")
}

// speed returns a generator's speed, and false for one that was not measured.
// The error says that there is no such generator.
func (r *Report) speed(name string) (GeneratorSpeed, bool, error) {
	for _, g := range r.Generators {
		if g.Name == name {
			return g, true, nil
		}
	}
	for _, g := range generator.All() {
		if g.Name == name {
			return GeneratorSpeed{}, false, nil
		}
	}
	return GeneratorSpeed{}, false, fmt.Errorf("unknown generator %q (known: %s)", name, generator.Names())
}

// markdown writes the speeds as a table: a row for each generator, a column
// for each position.
func (r *Report) markdown() string {
	var t strings.Builder
	positions := r.positions()
	t.WriteString("| generator |")
	for _, p := range positions {
		fmt.Fprintf(&t, " %s |", p)
	}
	t.WriteString(" geometric mean | to 0x88 |\n|---|" + strings.Repeat("--:|", len(positions)+2) + "\n")
	for _, g := range r.Generators {
		fmt.Fprintf(&t, "| %s |", title(g.Name))
		for _, result := range r.of(g.Name) {
			fmt.Fprintf(&t, " %s |", millions(result.NPS))
		}
		fmt.Fprintf(&t, " %s | **%s** |\n", millions(g.NPS), times(g.Ratio))
	}
	for _, m := range r.Missing {
		fmt.Fprintf(&t, "| %s |%s not measured |\n", title(m.Name), strings.Repeat(" |", len(positions)+1))
	}
	return t.String()
}
