// Package files reads and writes files safely.
//
// [Write] and its relatives replace a file so that a kill or a power cut leaves the old
// content or the new content, never half of it. They follow symbolic links. Only regular
// files are read and written: a directory, a device or a pipe is refused with
// [ErrNotRegular], because it may block for ever or never end.
//
// [System] is the small interface through which this package and package journal write. [OS]
// implements it with the file system; package kit implements it in memory with faults on
// demand. Everything else uses the two packages and is tested with real kills and full disks.
package files
