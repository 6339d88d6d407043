package nnue

import (
	_ "embed"
	"fmt"
	"sync"
)

// embedded is the network file that every build carries. The Makefile puts
// another one in its place where EVALFILE names one.
//
//go:embed tabula.nn
var embedded []byte

// Embedded returns the network built into the program. It panics if the network is
// damaged; the tests check it.
func Embedded() *Network { return readEmbedded() }

var readEmbedded = sync.OnceValue(func() *Network {
	n, err := decode(embedded)
	if err != nil {
		panic(fmt.Sprintf("nnue: embedded network: %v", err))
	}
	return n
})
