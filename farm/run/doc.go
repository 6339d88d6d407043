// Package run says what a run of the farm is: a manifest, which its hash names,
// jobs that are pure functions of manifest and index, results that whoever made
// them has signed, and the interface by which a kind of job (perft, datagen, …)
// takes part. It knows nothing of networks and imports nothing of this module.
package run
