// Package test checks the built program from outside: UCI sessions scripted in
// testdata/script, games by the clock, and the builds for other systems. A script
// fails where an answer is one that a game runner would not accept.
package test
