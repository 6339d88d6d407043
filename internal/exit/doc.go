// Package exit defines how programs end: exit codes, usage errors, and signals.
//
// Every program ends with one of these exit codes:
//
//   - 0: done.
//   - 1: failed: a task could not be done, or a check found an error, such as a wrong count
//     or a damaged file.
//   - 2: wrong use: the command line or the environment is wrong. This includes a value out
//     of range, a file or program that does not exist, and a directory or device in place of
//     a file.
//   - 130: interrupted.
package exit
