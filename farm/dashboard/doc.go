// Package dashboard tells how a farm is: to a page, to Prometheus, and to scripts.
//
//	GET  /api/queue                 Queue: all runs and workers, without their history
//	GET  /api/run/NAME              Run: one run, by its id, with what was plotted of it
//	GET  /api/worker/NAME           Worker: one worker, with what it has done of each run
//	GET  /api/session               {"operator": whether this client is logged in}
//	POST /api/session TOKEN         logs in with the token of DIR/page.token, for a cookie
//	POST /api/operate ["cancel", "RUN"]  does what farm cancel RUN does, for operators; so
//	                                do pause, resume, priority, forget, ban, unban, drain
//	POST /api/submit Submission     starts a match or a datagen run, for operators
//	GET  /api/file/NAME             games of a run that was submitted here
//	GET  /metrics                   figures for Prometheus
//	GET  /                          the page: queue, run and worker
//
// Answers are JSON; errors are {"error": text} with a status of 400 and above. A client is
// an operator with the cookie or with "Authorization: Bearer TOKEN". A private farm shows
// nothing to others.
//
// The package imports farm/link, farm/coordinator and internal/guard.
package dashboard
