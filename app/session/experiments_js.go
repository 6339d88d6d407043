//go:build js && !tabula_lab

package session

// experiments returns no handlers: see experiments.go.
func experiments() map[string]handler { return nil }
