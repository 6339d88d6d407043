// What is heard: a tap of wood for a move, made by the browser, so that no file is
// needed. Nothing is heard before the first click on the page.

export type Sound = "move" | "capture" | "check" | "end";

/** Each tap: when it begins, in seconds, its pitch in hertz, and how loud it is. */
const taps: Record<Sound, [at: number, pitch: number, loud: number][]> = {
	move: [[0, 320, 0.5]], capture: [[0, 320, 0.5], [0.05, 210, 0.7]], check: [[0, 320, 0.5], [0.09, 640, 0.4]],
	end: [[0, 440, 0.4], [0.14, 330, 0.4], [0.28, 220, 0.5]],
};

let silent = true;
let audio: AudioContext | null = null;

/** Turns sounds off or on. */
export function silence(off: boolean): void {
	silent = off;
}

/** Plays a sound, if sounds are on and the page has been clicked. */
export function hear(sound: Sound): void {
	if (silent || !navigator.userActivation.hasBeenActive) {
		return;
	}
	audio ??= new AudioContext();
	for (const [at, pitch, loud] of taps[sound]) {
		const begin = audio.currentTime + at;
		const tone = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
		const volume = new GainNode(audio, { gain: 0 });
		tone.frequency.exponentialRampToValueAtTime(pitch / 2, begin + 0.09);
		volume.gain.setValueAtTime(loud * 0.5, begin);
		volume.gain.exponentialRampToValueAtTime(0.001, begin + 0.11);
		tone.connect(volume).connect(audio.destination);
		tone.start(begin);
		tone.stop(begin + 0.12);
	}
}

/** Plays what a move sounds like. */
export function hearMove(san: string): void {
	hear(san.includes("#") ? "end" : san.includes("+") ? "check" : san.includes("x") ? "capture" : "move");
}
