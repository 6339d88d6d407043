// Package hub is the farm's centre: a NATS server in the process, with its streams in a
// directory that it alone uses, the rules of who may do what, and the coordinator.
//
// On a loopback address it asks for no credentials. On any other address it demands TLS
// and keys, and writes the owner's key to its directory.
//
// The package imports farm/run, farm/link, farm/coordinator and internal/files.
package hub
