// Package serve is the command "tabula serve": it serves the page, and the messages of package
// session over HTTP and WebSocket.
//
// It limits who may ask ([guard]), how many connections are open and for how long, the number of
// sessions and the size of messages. docs/web.md gives the reason for each limit. WebAssembly
// builds do not include the package.
package serve
