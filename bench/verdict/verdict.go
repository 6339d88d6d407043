// Package verdict holds the error by which a check that failed is told from one
// that could not be made; the exit codes of the bench depend on it.
package verdict

// Wrong is the result of a check that failed, as opposed to one that
// could not be made.
type Wrong struct{ Text string }

// Error returns the text.
func (e *Wrong) Error() string { return e.Text }
