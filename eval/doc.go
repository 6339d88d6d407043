// Package eval defines what an evaluation is measured in. The evaluation
// itself is the network of package nnue below it.
package eval
