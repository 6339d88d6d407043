// Package link is the farm's use of NATS JetStream: the names of streams and subjects,
// who may use them, connections and keys, and the few ways in which streams are written
// and read.
//
//	stream  subject                          rule
//	RUNS    run.<run>                        manifest; the first write wins
//	RES     res.<run>.<index>.<copy>         results; the first write wins
//	INPUT   in.<run>.<sha256>.<part>         files for workers
//	ART     art.<run>.<key>.<sha256>.<part>  files from workers
//	STATE   open. end. kept.<run>            the last write wins, as in all of STATE
//	        key.<key> ban.<worker>
//	        farm.id                          which farm this is
//
// Beside the streams there are messages that nobody keeps: a worker asks for a job with
// ask.<worker>, says alive.<worker> now and then, and gives a job back with
// back.<worker>; the coordinator says over.<run>, an operator leave.<worker>. A worker's
// name is KEY.MACHINE.
//
// Streams are read by sequence number, not through consumers: a consumer is lost with
// its server, a number is not.
package link
