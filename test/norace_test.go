//go:build !race

package test

// raceDetector says that the tests run without the race detector.
const raceDetector = false
