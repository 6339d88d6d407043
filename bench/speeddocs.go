package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/tabula-chess/tabula/internal/files"
)

// The measured parts of a document are between markers, so that no figure is typed by hand:
//
//	<!-- measured:table -->…<!-- end -->         the table of all generators
//	<!-- measured:machine -->…<!-- end -->       the machine and the number of rounds
//	<!-- measured:speed array -->…<!-- end -->   speed of a generator, in leaves a second
//	<!-- measured:ratio pext magic -->…<!-- end -->  speed of the first over the second
const (
	markerBegin = "<!-- measured:"
	markerClose = " -->"
	markerEnd   = "<!-- end -->"
)

// rewrite replaces the measured parts of a file.
func (s *speeds) rewrite(name string) error {
	text, err := files.Read(name)
	if err != nil {
		return err
	}
	changed, err := s.fill(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return files.Write(name, []byte(changed))
}

// fill replaces the measured parts of a text. It fails without a marker, and for a marker that has no end or is
// unknown.
func (s *speeds) fill(text string) (string, error) {
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
		value, err := s.measured(strings.Fields(what))
		if err != nil {
			return "", fmt.Errorf("marker %q: %w", what, err)
		}
		out.WriteString(markerBegin + what + markerClose + value + markerEnd)
		text = after
	}
}

// measured returns the text that a marker asks for.
func (s *speeds) measured(what []string) (string, error) {
	switch {
	case len(what) == 1 && what[0] == "table":
		return "\n" + s.markdown(), nil
	case len(what) == 1 && what[0] == "machine":
		return fmt.Sprintf("%s, %s, median of %d rounds", s.machine, runtime.Version(), s.rounds), nil
	case len(what) == 2 && what[0] == "speed", len(what) == 3 && what[0] == "ratio":
		var means []float64
		for _, name := range what[1:] {
			switch g, err := s.of(name); {
			case errors.Is(err, errMissing):
				return err.Error(), nil
			case err != nil:
				return "", err
			default:
				means = append(means, g.mean)
			}
		}
		if len(means) == 1 {
			return millions(means[0]), nil
		}
		return fmt.Sprintf("**%s**", times(means[0]/means[1])), nil
	}
	return "", fmt.Errorf("want table, machine, speed NAME or ratio NAME NAME")
}
