// Package page shows a farm: to a browser as one read-only page with plots, to
// Prometheus as numbers, to a terminal as a table. It imports farm/link,
// farm/steward and internal/guard.
package page
