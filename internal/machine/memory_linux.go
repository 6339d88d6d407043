package machine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// Memory is a mapping outside the Go heap: a failed allocation is an error and does not
// end the process, and pages cost nothing before they are used. The mapping ends with the
// Memory.
type Memory struct {
	bytes   []byte
	cleanup runtime.Cleanup
	refused error // why there are no large pages, nil if there are
}

// Allocate maps n zeroed values, which may hold no Go pointers, and asks for large pages.
func Allocate[T any](n uint64) (*Memory, []T, error) {
	var one T
	size := n * uint64(unsafe.Sizeof(one))
	bytes, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	b := &Memory{bytes: bytes, refused: askLargePages(bytes)}
	b.cleanup = runtime.AddCleanup(b, func(bytes []byte) { _ = syscall.Munmap(bytes) }, bytes)
	return b, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n), nil
}

// askLargePages requests large pages, which save time but are not needed.
func askLargePages(bytes []byte) error {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	switch {
	case err != nil:
		return errors.New("this system has none")
	case strings.Contains(string(mode), "[never]"):
		return errors.New("transparent_hugepage is set to never")
	case len(bytes) < 2<<20:
		return errors.New("the table is smaller than one")
	}
	return syscall.Madvise(bytes, syscall.MADV_HUGEPAGE)
}

// Pages says whether large pages are in use, or why not.
func (b *Memory) Pages() string {
	if b.refused != nil {
		return "no large pages: " + b.refused.Error()
	}
	return "large pages"
}

// Free returns how many bytes the process may still use according to the system
// and its control group. known is false if neither says.
func Free() (free uint64, known bool) {
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if _, after, found := bytes.Cut(text, []byte("MemAvailable:")); found {
			fields := strings.Fields(string(after[:min(len(after), 40)]))
			if kib, err := strconv.ParseUint(fields[0], 10, 64); err == nil {
				free, known = kib<<10, true
			}
		}
	}
	// Version 2 of control groups: one line "0::/path".
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return free, known
	}
	_, group, _ := strings.Cut(strings.TrimSpace(string(text)), "::")
	dir := filepath.Join("/sys/fs/cgroup", group)
	most, ok1 := readNumber(filepath.Join(dir, "memory.max"))
	used, ok2 := readNumber(filepath.Join(dir, "memory.current"))
	if ok1 && ok2 {
		left := most - min(most, used)
		if !known || left < free {
			free, known = left, true
		}
	}
	return free, known
}

// Resident returns how many bytes of memory a process uses. known is false if the system does not say.
func Resident(pid int) (used uint64, known bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	return pages * uint64(os.Getpagesize()), err == nil
}

// readNumber reads a file that holds one number.
func readNumber(name string) (n uint64, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// Release frees the memory.
func (b *Memory) Release() {
	b.cleanup.Stop()
	_ = syscall.Munmap(b.bytes)
}
