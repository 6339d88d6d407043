// Package coordinator sees a run through: it reads results, folds them in order of
// their indexes, puts what is missing into the queue, and notes what was given
// up and who has lied.
//
// A coordinator keeps nothing: all it knows it reads from the streams, from the first
// result on, whenever it is started. So it does not matter where it runs, how
// often it is killed, nor whether two look after the same run; the hub looks
// after every open run, and the command that began a run after that one.
//
// It imports farm/run, farm/quorum and farm/link.
package coordinator
