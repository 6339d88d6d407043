// Package fit trains the networks of package nnue on recorded positions, on all
// cores of the processor.
//
// [Load] decodes every game of the files once, filters its positions, computes their targets and writes them to a
// scratch file, 28 bytes each. Epoch after epoch they come in a random order that depends on the seed alone.
//
// A [Trainer] runs AdamW with warm-up and cosine decay over such a [TrainingSet].
// [Trainer.Run] can be interrupted at any time; continued from the checkpoint, it
// gives the same network, bit for bit. The result depends only on the data and
// the [Config], not on the number of threads, their timing or the kernels. To
// this end, a batch has a fixed number of shards whose gradients are added in
// order, and the kernels round every product. The small layers (layers.go) use
// only the products of pairs that are not zero, in both directions.
//
// Sources: CPW "NNUE"; Loshchilov and Hutter, "Decoupled Weight Decay
// Regularization", 2019; the README of jw1912/bullet on how engines blend
// scores with results and clip weights.
package fit
