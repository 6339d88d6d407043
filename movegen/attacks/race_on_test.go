//go:build race

package attacks

const raceEnabled = true
