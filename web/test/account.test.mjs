// My games beside the server: games of an account at lichess, from a stand-in on this machine. Nothing is asked before it is allowed.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site, PICTURES: pictures } = process.env;
const game = (n) => `[Event "rated blitz game"]\n[Site "https://lichess.org/0000000${n}"]\n[White "Anna"]\n[Black "ben"]\n[Result "1-0"]\n[UTCDate "2026.01.0${n}"]\n[UTCTime "10:00:00"]\n\n1. e4 e5 2. Nf3 1-0\n\n\n`;
const asked = [];
let chrome, server, lichess, games;

before(async () => {
	assert.ok(program, "make web-test names the program");
	games = [1, 2, 3];
	lichess = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url, "http://host");
		asked.push(`${pathname} ${request.headers["user-agent"]}`);
		if (pathname.endsWith("/slow") && searchParams.get("finished") !== "false") {
			response.write(game(9)); // and no more
			return;
		}
		response.writeHead(pathname.endsWith("/nobody") ? 404 : 200).end(searchParams.get("finished") === "false" ? "" : games.map(game).join(""));
	});
	await new Promise((done) => lichess.listen(0, "127.0.0.1", done));
	[chrome, server] = await Promise.all([browser(), serve(program, { env: { TABULA_SITES: `http://127.0.0.1:${lichess.address().port}` } })]);
});
after(async () => {
	await chrome?.close();
	await server?.close();
	lichess?.closeAllConnections();
	lichess?.close();
});

const picture = (reader, name) => pictures && reader.page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });

test("an account: allowed once, fetched, fetched again, taken back", async () => {
	const reader = await Reader.open(chrome, server.address);
	await reader.go("games");
	const { mode } = reader;
	const press = (name) => mode.getByRole("button", { name, exact: true }).click();
	await mode.getByText("Your name on lichess or chess.com", { exact: true }).click();
	await mode.getByText("lichess.org learns the name of the account, your IP address, and the name and version of this program.").waitFor();
	assert.equal(await mode.getByLabel("Name of the account").count(), 0);
	await picture(reader, "account-before");
	await mode.getByLabel("Site").selectOption("chess.com");
	await mode.getByText("api.chess.com learns the name of the account").waitFor();
	await mode.getByLabel("Site").selectOption("lichess");
	await press("Allow lichess.org");
	await mode.getByLabel("Name of the account").fill("an na");
	assert.deepEqual(asked, []);
	await press("Fetch games");
	await mode.getByText("want 2 to 30 letters").waitFor();
	assert.deepEqual(asked, []);
	await mode.getByLabel("Name of the account").fill("nobody");
	await press("Fetch games");
	await mode.getByText("lichess has no account nobody").waitFor();
	await mode.getByLabel("Name of the account").fill("Anna");
	await press("Fetch games");
	await mode.getByText("3 games added, 3 in all.").waitFor();
	await mode.getByText("3 games, 0 reviewed.").waitFor();
	games.push(4);
	await press("Fetch games");
	await mode.getByText("1 game added, 3 were there already, 4 in all.").waitFor();
	await picture(reader, "account");
	assert.ok(asked.every((line) => /^\/api\/games\/user\/(nobody|Anna) Tabula\/\S+ \(\+https:\/\/\S+; username: (nobody|Anna)\)$/.test(line)), String(asked));

	await mode.getByLabel("Name of the account").fill("slow");
	await press("Fetch games");
	await press("Cancel");
	await mode.getByText("Cancelled, and what came is kept").waitFor();
	await press("Fetch games");
	await mode.getByText("Asking lichess.org…").waitFor();
	await press("Withdraw permission for lichess.org");
	await mode.getByText("the site may not be asked any more").waitFor();
	await mode.getByRole("button", { name: "Allow lichess.org", exact: true }).waitFor();
	await reader.page.reload();
	await reader.go("games");
	await mode.getByText("Your name on lichess or chess.com", { exact: true }).click();
	await mode.getByRole("button", { name: "Allow lichess.org", exact: true }).waitFor();
	await reader.close();
});

test("an engine in the browser asks no site", async () => {
	assert.ok(site, "make web-test names the site");
	const still = await host(site);
	const reader = await Reader.open(chrome, still.address);
	await reader.go("games");
	assert.equal(await reader.mode.getByText("Your name on lichess or chess.com", { exact: true }).isVisible(), false);
	await reader.close();
	still.close();
});
