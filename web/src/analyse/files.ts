// What stands behind the button "Position and files": reading positions and games, and
// sharing them as texts, links, files and pictures.

import type { App } from "../app";
import { pictureOf } from "../board/picture";
import { Import, type Reader } from "../game/import";
import type { Session } from "../game/session";
import { copy, link } from "../game/share";
import { drawn, lastSquares } from "../game/tree";
import { reasonOf } from "../transport/client";
import { button, h } from "../ui/dom";
import { announce } from "../ui/live";
import { download } from "../ui/store";

/** The dialog. */
export class Files {
	readonly element: HTMLDialogElement;
	readonly reader: Import;
	private readonly session: Session;
	private readonly said = h("p", { class: "hint", role: "status" });

	/** Puts position, the fields of a position, between reading and sharing, and one more button behind those for sharing. */
	constructor(app: App, session: Session, reader: Reader, position: HTMLElement, more: HTMLElement) {
		this.session = session;
		this.reader = new Import(app, { ...reader, reveal: () => this.open() });
		const share = (title: string, act: () => string | Promise<string>): HTMLButtonElement => button(title, () => void this.do(act), { class: "quiet small" });
		this.element = h("dialog", { class: "files", "aria-labelledby": "files-title" },
			h("div", { class: "row head" }, h("h2", { id: "files-title" }, "Position and files"), button("Close", () => this.close(), { class: "quiet small" })),
			this.reader.element, position,
			h("h3", {}, "Share"),
			h("div", { class: "row" },
				share("Copy FEN", () => this.copy("FEN", session.tree.current.fen)), share("Copy PGN", () => this.copy("PGN", session.pgn())),
				share("Copy link", () => this.link()), share("Download PGN", () => this.save("tabula.pgn", session.pgn())),
				share("Save picture", async () => this.save("tabula.png", await this.picture())), more),
			this.said);
	}

	open(): void {
		if (!this.element.open) {
			this.said.textContent = "";
			this.element.showModal();
		}
	}

	close(): void {
		this.element.close();
	}

	private async do(act: () => string | Promise<string>): Promise<void> {
		try {
			this.said.textContent = await act();
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
		announce(this.said.textContent ?? "");
	}

	private async copy(what: string, text: string): Promise<string> {
		await copy(text);
		return `${what} copied.`;
	}

	private save(name: string, content: string | Blob): string {
		download(name, content);
		return `${name} saved.`;
	}

	private async link(): Promise<string> {
		const { tree } = this.session;
		const address = tree.root.children.length === 0 ? link("fen", tree.current.fen) : link("pgn", this.session.pgn(), tree.path());
		return address ? this.copy("Link", address) : "This game is too long for a link. Download its PGN instead.";
	}

	private picture(): Promise<Blob> {
		const { current } = this.session.tree;
		return pictureOf({ fen: current.fen, white: this.session.stand.board.white, last: lastSquares(current), coordinates: true }, drawn(current));
	}
}
