//go:build unix

package exit

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// ReaderGone reports whether out is a pipe, socket or terminal without a reader. It follows the method Unwrap of a
// writer.
func ReaderGone(out io.Writer) (gone bool) {
	if outer, ok := out.(interface{ Unwrap() io.Writer }); ok {
		return ReaderGone(outer.Unwrap())
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
