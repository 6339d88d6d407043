// Package run says what a run of the farm is: a manifest, whose hash is its name;
// jobs that are pure functions of manifest and index; results signed by their
// workers; and the interface by which a kind of work (perft, datagen, …) takes part.
// It knows nothing of networks and imports nothing of this module.
package run
