// Bytes on their way to the engine's standard input: it asks for them as
// wasm_exec.js asks a host's fs.read, and they come by events.

export class Input {
	#chunks = [];
	#ended = false;
	#waiting = null; // the call that is to be answered

	// push adds bytes at the end.
	push(bytes) {
		if (bytes.length > 0) {
			this.#chunks.push(bytes);
		}
		this.#answer();
	}

	// end says that no more bytes come.
	end() {
		this.#ended = true;
		this.#answer();
	}

	// read is fs.read for the input, less the number of the file.
	read(buffer, offset, length, callback) {
		this.#waiting = { buffer, offset, length, callback };
		queueMicrotask(() => this.#answer()); // never within the call that asks
	}

	#answer() {
		if (!this.#waiting || (this.#chunks.length === 0 && !this.#ended)) {
			return;
		}
		const { buffer, offset, length, callback } = this.#waiting;
		this.#waiting = null;
		let n = 0;
		if (this.#chunks.length > 0) {
			const first = this.#chunks[0];
			n = Math.min(length, first.length);
			buffer.set(first.subarray(0, n), offset);
			if (n < first.length) {
				this.#chunks[0] = first.subarray(n);
			} else {
				this.#chunks.shift();
			}
		}
		callback(null, n);
	}
}
