// The part of cm-chessboard that the page uses; the package has no types.

declare module "cm-chessboard/src/Chessboard.js" {
	export const COLOR: { white: "w"; black: "b" };
	export const INPUT_EVENT_TYPE: {
		moveInputStarted: "moveInputStarted";
		movingOverSquare: "movingOverSquare";
		validateMoveInput: "validateMoveInput";
		moveInputCanceled: "moveInputCanceled";
		moveInputFinished: "moveInputFinished";
	};
	export interface InputEvent {
		type: string;
		squareFrom: string;
		squareTo?: string | null;
		reason?: string;
		animate?: boolean;
	}
	export class Chessboard {
		constructor(context: HTMLElement, props: object);
		props: { style: { animationDuration: number } };
		view: {
			svg: SVGSVGElement;
			container: HTMLElement;
			boardGroup: SVGGElement;
			squareHeight: number;
			visualMoveInput: {
				draggablePiece: SVGElement | null;
				createDraggablePiece(piece: string): void;
				moveDraggablePiece(x: number, y: number): void;
			};
		};
		setPosition(fen: string, animated?: boolean): Promise<void>;
		setPiece(square: string, piece: string | null, animated?: boolean): Promise<void>;
		getPiece(square: string): string | null;
		getPosition(): string;
		setOrientation(color: "w" | "b", animated?: boolean): Promise<void>;
		enableMoveInput(handler: (event: InputEvent) => boolean | void, color?: "w" | "b"): void;
		disableMoveInput(): void;
		cancelMoveInput(): void;
		addExtension(extension: unknown, props?: object): void;
	}
}

declare module "cm-chessboard/src/model/Extension.js" {
	import type { Chessboard } from "cm-chessboard/src/Chessboard.js";
	export const EXTENSION_POINT: { afterRedrawBoard: string };
	export class Extension {
		constructor(chessboard: Chessboard);
		chessboard: Chessboard;
		registerExtensionPoint(name: string, callback: () => void): void;
	}
}
