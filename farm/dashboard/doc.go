// Package dashboard shows a farm: to a browser as one read-only page with plots, to
// Prometheus as numbers, to a terminal as a table. It imports farm/link,
// farm/coordinator and internal/guard.
package dashboard
