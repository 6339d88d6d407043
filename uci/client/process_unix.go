//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the head of a group, to which the processes it
// starts will belong: an engine behind a shell script ends with the script.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the process and those of its group.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended already
}
