// Package work is a worker of the farm. Each of its cores asks for one job, does it, and
// reports the result so that neither a kill of its own at any moment nor one of the hub
// loses it or counts it twice:
//
//	compute, write the spool file (fsync), publish files, publish the result (first write
//	wins), wait for the server's confirmation, clear the spool file
//
// What a kill leaves in the spool the next start publishes. The spool of one farm is not
// delivered to another. Whoever ends a worker in good order has its jobs given back.
//
// The package imports farm/run, farm/link, and internal/files.
package work
