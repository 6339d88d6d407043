// The files of this browser's origin (the origin-private file system) as Node's fs, as far as Go's
// library calls it. So the engine keeps a database here with the same code as on a disk. Other sites
// cannot read them, and nothing is sent anywhere. What is open for writing is locked for other tabs.

const constants = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
const codes = { NotFoundError: "ENOENT", NoModificationAllowedError: "EBUSY", InvalidStateError: "EBUSY", TypeMismatchError: "ENOTDIR", QuotaExceededError: "ENOSPC", InvalidModificationError: "ENOTEMPTY" };

const blockSize = 1 << 16; // bytes of a file that are read at a time
const blocksKept = 512; // of a file

/** Returns the fs, or null where the browser keeps no files for the page. */
export async function disk() {
	const { createSyncAccessHandle, move } = globalThis.FileSystemFileHandle?.prototype ?? {};
	let root;
	if (!createSyncAccessHandle || !move) {
		return null;
	}
	try {
		root = await navigator.storage.getDirectory();
	} catch {
		return null;
	}
	const open = new Map(); // by descriptor
	const numbers = new Map(); // of files, by path, as a disk has them
	let next = 3;

	const failure = (code) => Object.assign(new Error(code), { code });
	const parts = (path) => path.split("/").filter((part) => part && part !== ".");

	/** Returns the folder in which a path ends, and the last name, "" for the root. */
	async function place(path) {
		const names = parts(path);
		const name = names.pop() ?? "";
		let folder = root;
		for (const part of names) {
			folder = await folder.getDirectoryHandle(part);
		}
		return { folder, name };
	}

	/** Returns the handle of what a path names. */
	async function find(path) {
		const { folder, name } = await place(path);
		if (!name) {
			return folder;
		}
		return folder.getFileHandle(name).catch((error) => {
			if (error.name !== "TypeMismatchError") {
				throw error;
			}
			return folder.getDirectoryHandle(name);
		});
	}

	function numberOf(path) {
		const name = parts(path).join("/");
		numbers.set(name, numbers.get(name) ?? next++);
		return numbers.get(name);
	}

	async function stat(path) {
		const handle = await find(path);
		const writer = [...open.values()].find((f) => f.access && f.path === path);
		const file = handle.kind === "file" && !writer ? await handle.getFile() : null;
		const time = file?.lastModified ?? 0;
		return {
			dev: 1, ino: numberOf(path), mode: handle.kind === "file" ? 0o100666 : 0o40777, nlink: 1, uid: 0, gid: 0, rdev: 0,
			size: writer?.access.getSize() ?? file?.size ?? 0, blksize: 4096, blocks: 0, atimeMs: time, mtimeMs: time, ctimeMs: time,
			isDirectory: () => handle.kind === "directory",
		};
	}

	function opened(fd) {
		const file = open.get(fd);
		if (!file) {
			throw failure("EBADF");
		}
		return file;
	}

	/** Returns a block of a file that is only read; a database is read here and there, again and again. */
	async function block(file, number) {
		const bytes = file.blocks.get(number) ?? new Uint8Array(await file.blob.slice(number * blockSize, (number + 1) * blockSize).arrayBuffer());
		file.blocks.delete(number); // it becomes the last one
		file.blocks.set(number, bytes);
		if (file.blocks.size > blocksKept) {
			file.blocks.delete(file.blocks.keys().next().value);
		}
		return bytes;
	}

	const calls = {
		async open(path, flags) {
			const { folder, name } = await place(path);
			const file = { path, at: 0, access: null, blob: null, blocks: new Map() };
			if (name && flags & constants.O_CREAT) {
				if (flags & constants.O_EXCL && await find(path).catch(() => null)) {
					throw failure("EEXIST");
				}
				await folder.getFileHandle(name, { create: true });
			}
			const handle = await find(path);
			if (handle.kind === "file" && flags & (constants.O_WRONLY | constants.O_RDWR)) {
				file.access = await handle.createSyncAccessHandle();
				if (flags & constants.O_TRUNC) {
					file.access.truncate(0);
				}
				file.at = flags & constants.O_APPEND ? file.access.getSize() : 0;
			} else if (handle.kind === "file") {
				file.blob = await handle.getFile(); // as it is now
			}
			const fd = next++;
			open.set(fd, file);
			return fd;
		},
		async close(fd) {
			opened(fd).access?.close();
			open.delete(fd);
		},
		async read(fd, buffer, offset, length, position) {
			const file = opened(fd);
			const at = position ?? file.at;
			const to = buffer.subarray(offset, offset + length);
			let n = 0;
			if (file.access) {
				n = file.access.read(to, { at });
			} else if (file.blob) {
				while (n < length && at + n < file.blob.size) {
					const part = (await block(file, Math.floor((at + n) / blockSize))).subarray((at + n) % blockSize);
					to.set(part.subarray(0, length - n), n);
					n += Math.min(part.length, length - n);
				}
			} else {
				throw failure("EISDIR");
			}
			file.at = position === null ? at + n : file.at;
			return n;
		},
		async write(fd, buffer, offset, length, position) {
			const file = opened(fd);
			if (!file.access) {
				throw failure("EBADF");
			}
			const at = position ?? file.at;
			const n = file.access.write(buffer.subarray(offset, offset + length), { at });
			file.at = position === null ? at + n : file.at;
			return n;
		},
		async fstat(fd) { return stat(opened(fd).path); },
		stat,
		lstat: stat,
		async fsync(fd) { opened(fd).access?.flush(); },
		async ftruncate(fd, size) { opened(fd).access.truncate(size); },
		async readdir(path) {
			const names = [];
			for await (const name of (await find(path)).keys()) {
				names.push(name);
			}
			return names;
		},
		async mkdir(path) {
			if (await find(path).catch(() => null)) {
				throw failure("EEXIST");
			}
			const { folder, name } = await place(path);
			await folder.getDirectoryHandle(name, { create: true });
		},
		async unlink(path) {
			if ((await find(path)).kind === "directory") {
				throw failure("EISDIR");
			}
			const { folder, name } = await place(path);
			await folder.removeEntry(name);
			numbers.delete(parts(path).join("/"));
		},
		async rmdir(path) {
			if ((await find(path)).kind === "file") {
				throw failure("ENOTDIR");
			}
			const { folder, name } = await place(path);
			await folder.removeEntry(name);
		},
		async rename(from, to) {
			for (const file of open.values()) { // the browser moves no file that is open for writing
				if (file.path === from && file.access) {
					file.access.flush();
					file.access.close();
					file.access = null;
					file.path = to;
				}
			}
			const handle = await find(from);
			const { folder, name } = await place(to);
			await handle.move(folder, name);
			numbers.set(parts(to).join("/"), numberOf(from));
			numbers.delete(parts(from).join("/"));
		},
		async chmod() {},
		async fchmod() {},
	};
	const fs = { constants };
	for (const [name, call] of Object.entries(calls)) {
		fs[name] = (...args) => {
			const callback = args.pop();
			call(...args).then((result) => callback(null, result), (error) => callback(typeof error.code === "string" ? error : failure(codes[error.name] ?? "EIO")));
		};
	}
	return fs;
}
