package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/protocol"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
)

// uciCommand checks how an engine keeps to the protocol.
func uciCommand() *cli.Command {
	return &cli.Command{
		Name:  "uci",
		Usage: "find what is wrong with an engine's UCI",
		Description: "Plays a script for each rule, then random sessions, and judges each line of the engine. Prints each\n" +
			"finding with the shortest session that shows it, to paste into a shell. A fault breaks UCI's text, and\n" +
			"the exit code is 1; a note is what only GUIs and runners ask for. Without --engine, lists the rules.",
		Flags: []cli.Flag{
			engineFlag("check"),
			&cli.FloatFlag{Name: "minutes", Value: 1, Usage: "start random sessions until `N` minutes are over; 0 means none"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "random `NUMBER`; the same number gives the same sessions"},
			&cli.StringSliceFlag{Name: "rule", Usage: "check the rule `NAME` alone; can be repeated"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			out, rules := cmd.Root().Writer, protocol.Rules()
			if cmd.String("engine") == "" {
				return writeRules(out, rules, cmd.Bool("json"))
			}
			if m := cmd.Float("minutes"); !(m >= 0 && m <= 24*60) {
				return exit.WrongUsef("minutes: %v is not between 0 and %d", m, 24*60)
			}
			bar := command.NewBar(cmd.Root().ErrWriter, int64(len(rules)), "rules")
			defer bar.Close()
			c := protocol.Checker{
				Command: cmd.String("engine"), Seed: cmd.Uint64("seed"), Only: cmd.StringSlice("rule"),
				Time: time.Duration(cmd.Float("minutes") * float64(time.Minute)), Progress: func() { bar.Add(1) },
			}
			report, err := c.Run(ctx)
			if report == nil {
				return err
			}
			bar.Close()
			if cmd.Bool("json") {
				err = writeJSON(out, report)
			} else {
				writeReport(out, report)
			}
			faults := 0
			for _, r := range report.Rules {
				if r.Status == "fault" {
					faults++
				}
			}
			if faults > 0 && err == nil {
				err = fmt.Errorf("%s breaks %d of %d rules", report.Engine, faults, len(report.Rules))
			}
			return err
		},
	}
}

func writeJSON(out io.Writer, value any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// writeRules prints what is checked.
func writeRules(out io.Writer, rules []protocol.Rule, asJSON bool) error {
	if asJSON {
		return writeJSON(out, rules)
	}
	for _, r := range rules {
		fmt.Fprintf(out, "%-12s %s\n", r.Name, r.Says)
		rows := [][2]string{{"source", r.Source}, {"breaks", r.Breaks}, {"fastchess", r.Others}, {"needs", r.Needs}}
		for _, row := range rows {
			if row[1] != "" {
				fmt.Fprintf(out, "             %s: %s\n", row[0], row[1])
			}
		}
	}
	return nil
}

// writeReport prints a row for each rule, then the findings.
func writeReport(out io.Writer, r *protocol.CheckReport) {
	fmt.Fprintf(out, "%s: %d scripts and %d random sessions of seed %d in %.0f s\n", r.Engine, r.Scripts, r.Random, r.Seed,
		r.Seconds)
	for _, rule := range r.Rules {
		fmt.Fprintf(out, "%-7s %-12s %s\n", rule.Status, rule.Name, rule.Says)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Timings)) {
		t := r.Timings[name]
		fmt.Fprintf(out, "%-8s %6.1f ms at most, while the machine overslept by up to %.1f ms\n", name,
			1000*t.Late.Seconds(), 1000*t.Machine.Seconds())
	}
	for _, rule := range r.Rules {
		for _, f := range rule.Findings {
			writeFinding(out, &rule, &f, r.Command)
		}
	}
}

func writeFinding(out io.Writer, rule *protocol.Verdict, f *protocol.Finding, engine string) {
	fmt.Fprintf(out, "\n%s: %s: %s\n  %s\n  in practice: %s\n", rule.Status, rule.Name, f.Text, rule.Source, rule.Breaks)
	for line := range strings.Lines(f.Line) {
		fmt.Fprintf(out, "  < %s\n", strings.TrimSpace(line))
	}
	if len(f.Shell) > 0 {
		fmt.Fprintf(out, "(%s) | %s\n", strings.Join(f.Shell, "\n "), engine)
		fmt.Fprintf(out, "  reduced from %d lines; in %d more sessions\n", f.Before, f.Others)
	}
}
