//go:build race

package test

// raceDetector says that the tests run with the race detector; the engine they
// play with is then built with it too.
const raceDetector = true
