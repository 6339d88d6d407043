// The modes of the page, in the order of their tabs. The first one is shown at the
// start, and reads links.

import type { ModeEntry } from "./app";
import { Analyse } from "./analyse/analyse";
import { Mine } from "./games/mine";
import { Lab } from "./lab/lab";
import { Play } from "./play/play";
import { Train } from "./train/train";

export const modes: readonly ModeEntry[] = [
	{ name: "analyse", title: "Analyse", create: (app) => new Analyse(app) },
	{ name: "play", title: "Play", create: (app) => new Play(app) },
	{ name: "games", title: "My games", create: (app) => new Mine(app) },
	{ name: "train", title: "Train", create: (app) => new Train(app) },
	{ name: "tables", title: "Tables", create: (app) => new Lab(app) },
];
