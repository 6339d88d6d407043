package compare

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html.tmpl
var pageTemplate string

// writeHTML writes the report as a page that needs nothing beside it: the
// chart, a table for each position, and its own small style for light and
// dark.
func (r *Report) writeHTML(out io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"millions": millions,
		"times":    times,
		"title":    title,
		"result":   r.result,
	}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	var svg strings.Builder
	if err := r.writeSVG(&svg); err != nil {
		return err
	}
	chart := svg.String()
	chart = chart[strings.Index(chart, "<svg"):] // without the XML declaration
	return page.Execute(out, map[string]any{
		"Report":    r,
		"Positions": r.positions(),
		"Chart":     template.HTML(chart), // made here; names are escaped
	})
}

// result returns the result of a counter on a position, nil where there is
// none.
func (r *Report) result(generator, position string) *Result {
	for i := range r.Results {
		if r.Results[i].Generator == generator && r.Results[i].Position == position {
			return &r.Results[i]
		}
	}
	return nil
}
