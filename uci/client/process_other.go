//go:build !unix

package client

import "os/exec"

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup ends the process.
func killGroup(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended already
}
