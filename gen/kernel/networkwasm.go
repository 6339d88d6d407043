package kernel

// wasmStep is the number of vectors that a step of a loop handles.
const wasmStep = networkStep / vectorBytes

// networkWasm returns the kernels of eval/nnue in WebAssembly. Lengths are in
// bytes, a multiple of networkStep and not zero; addresses are those of the
// first element. relaxed are those that need a host with relaxed vectors.
func networkWasm() (all, relaxed []*wasmFunc) {
	for _, r := range rowForms {
		all = append(all,
			accumulateWasm(r, "addSub", 1, 1),
			accumulateWasm(r, "addSubSub", 1, 2),
			accumulateWasm(r, "addAddSubSub", 2, 2),
			applyWasm(r))
	}
	return append(all, dotWasm(), layersWasm("layers", false)), []*wasmFunc{layersWasm("layersRelaxed", true)}
}

// loadWeights puts a vector of weights on the stack, the first of them disp bytes
// past the sum of two words, were they words.
func (f *wasmFunc) loadWeights(r rows, disp int, address ...int) {
	if r.shift == 1 {
		f.load(disp, address...)
		return
	}
	f.get(address...)
	f.simd(vectorLoadI8, naturalAlignI8, disp/2)
}

// inWeights sets j to the bytes of as many weights as i has bytes of words.
func (f *wasmFunc) inWeights(r rows, i, j int) {
	f.get(i)
	f.constant(1 - int(r.shift))
	f.op(opI32ShrU)
	f.op(opLocalSet, j)
}

// accumulateWasm writes dst = src + adds - subs. Parameters: dst, src, adds,
// subs, length.
func accumulateWasm(r rows, name string, adds, subs int) *wasmFunc {
	f := &wasmFunc{name: name + r.suffix, params: 3 + adds + subs}
	const dst, src = 0, 1
	i, j := f.word(), f.word()
	f.loop(i, networkStep, f.params-1, func() {
		f.inWeights(r, i, j)
		for disp := 0; disp < networkStep; disp += vectorBytes {
			f.get(dst, i)
			f.load(disp, src, i)
			for k := range adds {
				f.loadWeights(r, disp, 2+k, j)
				f.simd(addI16)
			}
			for k := range subs {
				f.loadWeights(r, disp, 2+adds+k, j)
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
func applyWasm(r rows) *wasmFunc {
	f := &wasmFunc{name: "apply" + r.suffix, params: 7}
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
			f.constant(int(r.shift))
			f.op(opI32Shl)
			f.get(table, j)
			f.op(opI32Add)
			f.op(opLocalSet, row)
			for k, sum := range sums {
				f.op(opLocalGet, sum)
				f.loadWeights(r, k*vectorBytes, row)
				f.simd(op)
				f.op(opLocalSet, sum)
			}
		})
		f.op(opEnd)
	}
	f.loop(i, networkStep, length, func() {
		f.inWeights(r, i, j)
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

// dotWasm writes the second layer as screluDot does. Parameters: us, them,
// weights, length of us.
func dotWasm() *wasmFunc {
	f := &wasmFunc{name: "dot", params: 4, result: true}
	const us, them, weights, length = 0, 1, 2, 3
	i, theirs := f.word(), f.word()
	zero, top, x := f.vector(), f.vector(), f.vector()
	var sums [wasmStep]int
	for k := range sums {
		sums[k] = f.vector()
	}
	f.code.WriteByte(opI32Const)
	signed(&f.code, clip)
	f.simd(splatI16)
	f.op(opLocalSet, top)
	f.get(weights, length)
	f.op(opLocalSet, theirs)
	f.loop(i, networkStep, length, func() {
		for k, sum := range sums {
			for _, side := range [][2]int{{us, weights}, {them, theirs}} {
				f.op(opLocalGet, sum)
				f.load(k*vectorBytes, side[0], i)
				f.op(opLocalGet, zero)
				f.simd(maxI16)
				f.op(opLocalGet, top)
				f.simd(minI16)
				f.op(opLocalTee, x)
				f.op(opLocalGet, x)
				f.load(k*vectorBytes, side[1], i)
				f.simd(mulI16)
				f.simd(dotI16)
				f.simd(addI32)
				f.op(opLocalSet, sum)
			}
		}
	})
	f.op(opLocalGet, sums[0])
	for _, sum := range sums[1:] {
		f.op(opLocalGet, sum)
		f.simd(addI32)
	}
	f.op(opLocalSet, x)
	for lane := range 4 {
		f.op(opLocalGet, x)
		f.simd(extractLaneI32, lane)
		if lane > 0 {
			f.op(opI32Add)
		}
	}
	return f
}
