// Package fit trains the networks of package nnue on recorded positions, on
// the processor, with all cores.
//
// A [Trainer] runs AdamW with warm-up and cosine decay over a [loader.Set]; its [Trainer.Run] can be
// interrupted at any time, and continued from its checkpoint gives the same
// network, bit for bit. The result depends on the data and the [Config] alone:
// not on the number of threads, their timing, or the kernels in use. For that,
// a batch is cut into a fixed number of shards whose gradients are added in
// order, and the kernels round every product. Behind small layers (layers.go)
// only the products of pairs that are not zero are looked at, in both directions.
//
// Sources: CPW "NNUE"; Loshchilov and Hutter, "Decoupled Weight Decay
// Regularization", 2019; the README of jw1912/bullet on how engines blend
// scores with results and clip weights.
package fit
