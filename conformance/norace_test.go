//go:build !race

package main

// raceDetector says that the tests run without the race detector.
const raceDetector = false
