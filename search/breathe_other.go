//go:build !js

package search

// breather does nothing where the system interrupts threads.
type breather struct{}

func (*breather) breathe() {}
