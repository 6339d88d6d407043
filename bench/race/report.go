package race

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabula-chess/tabula/bench/timing"
)

// Report is the outcome of a race, in this shape with --json.
type Report struct {
	Machine timing.Machine `json:"machine"`
	Engine  string         `json:"engine"`
	Rounds  int            `json:"rounds"`
	Columns []string       `json:"columns"`
	Rows    []Result       `json:"rows"`
}

// Result is one row of the report.
type Result struct {
	Name    string `json:"name"`
	Missing string `json:"missing,omitempty"`
	Note    string `json:"note,omitempty"`
	Cells   []Cell `json:"cells,omitempty"`
}

// Cell is a row's result in a column.
type Cell struct {
	Depth  int     `json:"depth"`
	Nodes  uint64  `json:"nodes"`
	NPS    float64 `json:"nps"`
	Ratio  float64 `json:"ratio"`
	Target float64 `json:"target,omitempty"` // 0: none
	Held   bool    `json:"held"`
}

// Report sums the race up.
func (r *Race) Report() *Report {
	report := &Report{Machine: timing.ThisMachine(), Engine: r.rows[engineRow].name, Rounds: r.Rounds}
	for _, c := range r.columns {
		report.Columns = append(report.Columns, fmt.Sprintf("%s, depth %d", c.position.Name, c.depth))
	}
	for _, row := range r.rows {
		result := Result{Name: row.name, Missing: row.missing, Note: row.note}
		for i, t := range row.trials {
			cell := Cell{Depth: t.Depth, Nodes: t.Nodes, NPS: t.NPS(), Ratio: t.Against(r.rows[row.to].trials[i])}
			if row.targets != nil {
				cell.Target = row.targets[i]
				cell.Held = cell.Ratio >= cell.Target
			}
			result.Cells = append(result.Cells, cell)
		}
		report.Rows = append(report.Rows, result)
	}
	return report
}

// Print writes the report as a Markdown table that also reads well on a
// terminal.
func (r *Report) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s, %s, %s against %s: bulk counting, medians of %d rounds in turn;\nratios are to %s in the same round, and in the row of two threads to one thread\n\n",
		r.Machine.Processor, r.Machine.System, r.Machine.Go, r.Engine, r.Rounds, r.Engine)
	head := []string{"M nodes/s, one thread, no hash"}
	for _, c := range r.Columns {
		head = append(head, c, "ratio", "target", "held")
	}
	table := [][]string{head}
	var notes []string
	for _, row := range r.Rows {
		line := []string{row.Name}
		if row.Missing != "" {
			notes = append(notes, fmt.Sprintf("%s: not measured: %s", row.Name, row.Missing))
		} else if row.Note != "" {
			notes = append(notes, row.Name+": "+row.Note)
		}
		for i := range r.Columns {
			if row.Missing != "" {
				line = append(line, "-", "-", "-", "-")
				continue
			}
			line = append(line, row.Cells[i].columns()...)
		}
		table = append(table, line)
	}
	if err := printMarkdown(out, table); err != nil {
		return err
	}
	if len(notes) > 0 {
		_, err := fmt.Fprintln(out, "\n"+strings.Join(notes, "\n"))
		return err
	}
	return nil
}

// columns returns the cell as the table shows it.
func (c *Cell) columns() []string {
	target, held := "-", "-"
	if c.Target > 0 {
		target, held = fmt.Sprintf("%.2f×", c.Target), "no"
		if c.Held {
			held = "yes"
		}
	}
	return []string{fmt.Sprintf("%.0f", c.NPS/1e6), fmt.Sprintf("%.2f×", c.Ratio), target, held}
}

// printMarkdown writes a table whose columns line up, the first one to the
// left and all others to the right.
func printMarkdown(out io.Writer, table [][]string) error {
	widths := make([]int, len(table[0]))
	for _, line := range table {
		for i, cell := range line {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for n, line := range table {
		var text, rule strings.Builder
		for i, cell := range line {
			space := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i == 0 {
				text.WriteString("| " + cell + space + " |")
				rule.WriteString("|" + strings.Repeat("-", widths[i]+2) + "|")
				continue
			}
			text.WriteString(" " + space + cell + " |")
			rule.WriteString(strings.Repeat("-", widths[i]+1) + ":|")
		}
		if _, err := fmt.Fprintln(out, text.String()); err != nil {
			return err
		}
		if n == 0 {
			fmt.Fprintln(out, rule.String())
		}
	}
	return nil
}
