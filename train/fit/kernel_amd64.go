package fit

import "github.com/tabula-chess/tabula/eval/nnue"

var kernels = [...]*kernel{
	nnue.Go: &plain,
	nnue.AVX2: {sumListsAVX2, dotAVX2, backwardAVX2, productsAVX2, nonzero, productsBackAVX2, roundAVX2, affineAVX2, affineBackAVX2, drainAVX2,
		func(weights, mean, square, grad []float32, k *rates) {
			adamAVX2(weights, mean, square, grad, &k.keepMean)
		}},
	nnue.AVX512: {sumListsAVX512, dotAVX512, backwardAVX512, productsAVX512, nonzeroAVX512, productsBackAVX512, roundAVX512, affineAVX512, affineBackAVX512, drainAVX512,
		func(weights, mean, square, grad []float32, k *rates) {
			adamAVX512(weights, mean, square, grad, &k.keepMean)
		}},
}
