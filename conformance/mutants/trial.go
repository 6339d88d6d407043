package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// verdict says what became of a mutant.
type verdict int

const (
	killed   verdict = iota
	survived         // no test noticed it
	excused          // no test noticed it, and the table says why none can
	lost             // the source has changed, it cannot be applied
	unknown          // it does not compile, or the tests could not be run
)

// trial is a mutant with its verdict.
type trial struct {
	mutant
	verdict verdict
	by      string // the packages whose tests killed it
	err     error  // of lost and unknown
}

// String tells the verdict.
func (t *trial) String() string {
	switch t.verdict {
	case killed:
		return "killed by " + t.by
	case survived:
		return "SURVIVED"
	case excused:
		return "lives: " + t.alive
	case lost:
		return fmt.Sprintf("LOST: %v", t.err)
	}
	return fmt.Sprintf("NO VERDICT: %v", t.err)
}

// run tries the mutants one after the other and prints each verdict. The error
// is that of ctx alone; the trials until then come with it.
func (l *lab) run(ctx context.Context, chosen []mutant, out io.Writer) ([]trial, error) {
	var trials []trial
	for i, m := range chosen {
		start := time.Now()
		t := trial{mutant: m}
		t.by, t.err = l.try(ctx, &m)
		switch {
		case ctx.Err() != nil:
			return trials, ctx.Err()
		case errors.Is(t.err, errLost):
			t.verdict = lost
		case t.err != nil:
			t.verdict = unknown
		case t.by == "" && m.alive != "":
			t.verdict = excused
		case t.by == "":
			t.verdict = survived
		}
		trials = append(trials, t)
		fmt.Fprintf(out, "%3d/%d %s: %s: %v (%.1f s)\n", i+1, len(chosen), m.in, m.what, &t, time.Since(start).Seconds())
	}
	return trials, nil
}

// summary prints how many mutants came to which end. The error says that some
// of them should not have.
func summary(out io.Writer, trials []trial) error {
	var n [unknown + 1]int
	for _, t := range trials {
		n[t.verdict]++
	}
	fmt.Fprintf(out, "%d of %d killed, %d survive, %d live for a reason, %d lost, %d without a verdict\n",
		n[killed], len(trials), n[survived], n[excused], n[lost], n[unknown])
	if bad := n[survived] + n[lost] + n[unknown]; bad > 0 {
		return fmt.Errorf("%d breaks to be looked at", bad)
	}
	return nil
}

// markdown returns the trials as a table.
func markdown(trials []trial) string {
	var b strings.Builder
	b.WriteString("| declaration | break | verdict |\n| --- | --- | --- |\n")
	for _, t := range trials {
		text, _, _ := strings.Cut(t.String(), "\n")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.in, cell(t.what), cell(text))
	}
	return b.String()
}

// cell returns a text that does not end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
