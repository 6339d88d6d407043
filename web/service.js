// Keeps the page and the engine in the browser, so that both work without the
// network. The list of files and its version are written by site.mjs.

const version = "VERSION";
const files = ["FILES"];
const cacheName = `tabula-${version}`;

self.addEventListener("install", (event) => {
	event.waitUntil((async () => {
		const cache = await caches.open(cacheName);
		const first = await caches.open("tabula-first"); // what the page has fetched already
		await Promise.all(files.map(async (file) => {
			const known = await first.match(file);
			await (known ? cache.put(file, known) : cache.add(new Request(file, { cache: "no-cache" })));
		}));
		await caches.delete("tabula-first"); // a page of an earlier version keeps its files until it is closed
	})());
});

self.addEventListener("activate", (event) => {
	event.waitUntil((async () => {
		for (const name of await caches.keys()) {
			if (name.startsWith("tabula-") && name !== cacheName) {
				await caches.delete(name);
			}
		}
		await self.clients.claim();
	})());
});

self.addEventListener("fetch", (event) => {
	const address = new URL(event.request.url);
	if (event.request.method !== "GET" || address.origin !== location.origin) {
		return;
	}
	event.respondWith((async () => {
		const cache = await caches.open(cacheName);
		return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
	})());
});
