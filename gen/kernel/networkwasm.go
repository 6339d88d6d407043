package kernel

// wasmStep is the number of vectors that a step of a loop handles.
const wasmStep = networkStep / vectorBytes

// networkWasm returns the kernels of eval/nnue in WebAssembly. Lengths are in
// bytes, a multiple of networkStep and not zero; addresses are those of the
// first element. relaxed are those that need a host with relaxed vectors.
func networkWasm() (all, relaxed []*wasmFunc) {
	return []*wasmFunc{
		accumulateWasm("addSub", 1, 1),
		accumulateWasm("addSubSub", 1, 2),
		accumulateWasm("addAddSubSub", 2, 2),
		applyWasm(),
		layersWasm("layers", false),
	}, []*wasmFunc{layersWasm("layersRelaxed", true)}
}

// loadWeights puts a vector of weights, which are bytes in memory, on the stack as words:
// the first of them disp bytes past the sum of two words.
func (f *wasmFunc) loadWeights(disp int, address ...int) {
	f.get(address...)
	f.simd(vectorLoadI8, naturalAlignI8, disp)
}

// halve sets j to half of i: the bytes of as many weights as i has bytes of words.
func (f *wasmFunc) halve(i, j int) {
	f.get(i)
	f.constant(1)
	f.op(opI32ShrU)
	f.op(opLocalSet, j)
}

// accumulateWasm writes dst = src + adds - subs. Parameters: dst, src, adds,
// subs, length.
func accumulateWasm(name string, adds, subs int) *wasmFunc {
	f := &wasmFunc{name: name, params: 3 + adds + subs}
	const dst, src = 0, 1
	i, j := f.word(), f.word()
	f.loop(i, networkStep, f.params-1, func() {
		f.halve(i, j)
		for disp := 0; disp < networkStep; disp += vectorBytes {
			f.get(dst, i)
			f.load(disp, src, i)
			for k := range adds {
				f.loadWeights(disp/2, 2+k, j)
				f.simd(addI16)
			}
			for k := range subs {
				f.loadWeights(disp/2, 2+adds+k, j)
				f.simd(subI16)
			}
			f.simd(vectorStore, naturalAlign, disp)
		}
	})
	return f
}

// applyWasm writes the addition and subtraction of listed rows: a step of the
// accumulator stays in locals while all rows pass. Parameters: acc, length,
// table, adds, number of adds, subs, number of subs; the lists hold offsets in
// elements.
func applyWasm() *wasmFunc {
	f := &wasmFunc{name: "apply", params: 7}
	const acc, length, table, adds, nAdds, subs, nSubs = 0, 1, 2, 3, 4, 5, 6
	i, j, at, end, row := f.word(), f.word(), f.word(), f.word(), f.word()
	var sums [wasmStep]int
	for k := range sums {
		sums[k] = f.vector()
	}
	each := func(list, n, op int) {
		// Passed over where the list is empty.
		f.op(opBlock)
		f.op(opEmptyBlock)
		f.get(n)
		f.op(opI32Eqz)
		f.op(opBranchIf, 0)
		f.get(list)
		f.op(opLocalTee, at)
		f.get(n)
		f.constant(2)
		f.op(opI32Shl)
		f.op(opI32Add)
		f.op(opLocalSet, end)
		f.loop(at, 4, end, func() {
			f.get(at)
			f.op(opI32Load, naturalAlignI32, 0)
			f.get(table, j)
			f.op(opI32Add)
			f.op(opLocalSet, row)
			for k, sum := range sums {
				f.op(opLocalGet, sum)
				f.loadWeights(k*vectorBytes/2, row)
				f.simd(op)
				f.op(opLocalSet, sum)
			}
		})
		f.op(opEnd)
	}
	f.loop(i, networkStep, length, func() {
		f.halve(i, j)
		for k, sum := range sums {
			f.load(k*vectorBytes, acc, i)
			f.op(opLocalSet, sum)
		}
		each(adds, nAdds, addI16)
		each(subs, nSubs, subI16)
		for k, sum := range sums {
			f.get(acc, i)
			f.op(opLocalGet, sum)
			f.simd(vectorStore, naturalAlign, k*vectorBytes)
		}
	})
	return f
}
