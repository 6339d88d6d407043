// Package run says what a run of the farm is and holds the two ends of it that every kind of
// work shares.
//
// A run is a manifest, whose hash is its name. Its jobs are pure functions of manifest and
// index. A result is signed by the worker that made it, and a fold combines the results in
// the order of their jobs, so that the outcome does not depend on who did what and when.
//
// [Start] is the owner's side: it queues jobs, reads results and folds them. [Conn] reaches
// the streams and buckets of a farm, which are listed in store.go.
package run
