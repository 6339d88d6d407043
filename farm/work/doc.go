// Package work is a worker of the farm: it fetches one job for each free core,
// does it, and reports the result so that neither a kill of its own at any
// moment nor one of the hub loses it or counts it twice:
//
//	compute, write the spool file (fsync), publish files, publish the result
//	(first write wins), wait for the hub's word, acknowledge the job, remove
//	the spool file
//
// A result whose subject is taken is one that is there already. What is left in
// the spool by a kill is published by the next start.
//
// It imports farm/run, farm/link, and internal/files.
package work
