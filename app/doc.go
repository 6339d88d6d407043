// Package app is what stands between the command line and the engine: the
// flags, the choice of the attack path, profiles, version information, and
// program arguments that are commands of the protocol. [Main] is the whole of
// it; main.go only calls it.
package app
