//go:build unix

package uci

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// readerGone reports whether out is a pipe, a socket or a terminal that nobody can read any
// more. Writers around a file are asked for it by their method Unwrap.
func readerGone(out io.Writer) (gone bool) {
	for {
		inner, ok := out.(interface{ Unwrap() io.Writer })
		if !ok {
			break
		}
		out = inner.Unwrap()
	}
	f, ok := out.(syscall.Conn)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return gone && err == nil
}
