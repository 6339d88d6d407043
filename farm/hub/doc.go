// Package hub is the farm's centre: a NATS server in the process, with its
// streams on a directory that it alone uses, the rules of who may do what, and a
// coordinator for every open run.
//
// It listens on a loopback address without secrets; beyond, it demands TLS and
// keys, and writes the tokens by which owners and workers come in to its
// directory.
//
// It imports farm/run, farm/link, farm/coordinator and
// internal/files.
package hub
