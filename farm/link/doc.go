// Package link is the farm's use of NATS JetStream: the names of streams and
// subjects and who may do what to them, connections and keys, and the few ways
// in which streams are written and read.
//
//	stream  subject                      kept      rule
//	RUNS    run.<run>                    on disk   manifest; the first write wins
//	STATE   open.<run>, end.<run>        on disk   what is open and what is over; the last write wins
//	JOBS    job.<run>.<lane>.<index>.<k> in memory work queue, rebuilt at any time from the others
//	RES     res.<run>.<index>.<k>        on disk   results; the first write wins
//	DEAD    dead.<run>.<index>.<k>       on disk   jobs that five workers in a row did not answer
//	BANS    ban.<worker>                 on disk   workers whose results count for nothing
//	INPUT   in.<sha256>.<part>           on disk   files for workers
//	ART     art.<worker>.<sha256>.<part> on disk   files from workers
//	GIVEUP  the server's notices of jobs that were delivered too often; in memory
//
// alive.<worker> is no stream: a worker says there what it is doing.
//
// Streams are read by sequence number, "what has this subject had since", and
// not through ordered consumers: a consumer is a thing at the server that dies
// with it, a number is not.
package link
