// Package app is the command line of the engine: flags, the choice of the attack path, profiles,
// version information, and arguments that are UCI commands. main.go only calls [Main].
package app
