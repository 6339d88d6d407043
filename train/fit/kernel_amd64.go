package fit

import "github.com/tabula-chess/tabula/eval/nnue"

var kernels = [...]*kernel{
	nnue.Go: &plain,
	nnue.AVX2: {gatherAVX2, slopesAVX2, scatterAVX2, dotAVX2, backwardAVX2, productsAVX2, nonzero, roundAVX2,
		affineAVX2, affineBackAVX2, drainAVX2,
		func(weights, mean, square, grad []float32, k *rates) {
			adamAVX2(weights, mean, square, grad, &k.keepMean)
		}},
	nnue.AVX512: {gatherAVX512, slopesAVX512, scatterAVX512, dotAVX512, backwardAVX512, productsAVX512, nonzeroAVX512,
		roundAVX512, affineAVX512, affineBackAVX512, drainAVX512,
		func(weights, mean, square, grad []float32, k *rates) {
			adamAVX512(weights, mean, square, grad, &k.keepMean)
		}},
}
