// Package coordinator distributes the jobs of a farm and combines their results.
//
// A [Coordinator] answers workers who ask for a job, one at a time, and reads what they
// report. It keeps nothing that it could not read again: results, which are immutable,
// and the few records by which operators say what they want. It may be killed at any
// point; jobs under way are then handed out again, and the first result counts.
//
// The command that started a run follows it with [Follow]: it folds the same results in
// the same order, keeps their files, and decides where two machines differ.
//
// Which results count depends on the stream of results and the bans alone: of each job
// the first ones from workers that are not banned, as many as the job has copies. If
// they differ, the fold stops until the owner has stored a verdict, which counts instead.
//
// Time comes as an argument and everything else through [Store], so that tests run any
// schedule in virtual time. The package imports farm/run and farm/link.
package coordinator
