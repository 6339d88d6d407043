//go:build !unix

package uci

import "io"

// readerGone reports false: only a write tells.
func readerGone(io.Writer) bool { return false }
