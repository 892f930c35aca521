// What the page needs only after its first view: acts and dialogs, the editor, the turns, replay, sounds.

import { Acts } from "./acts.js";
import { Camera } from "../board/camera.js";
import { celebrate } from "../board/celebration.js";
import { Corners } from "../board/corners.js";
import { Editor } from "./editor.js";
import { keepAwake } from "../lib/screen.js";
import { Match } from "./match.js";
import { Moves } from "./moves.js";
import { NewGame } from "./newgame.js";
import { Replay } from "./replay.js";
import { showReview } from "./review.js";
import { Report } from "./report.js";
import { Roles } from "./roles.js";
import { Seats } from "./seats.js";
import { saving } from "../lib/saving.js";
import { sample, sound } from "../lib/sound.js";
import { Share } from "./share.js";
import { Speech } from "./speech.js";

export const later = { Acts, Camera, Corners, Editor, Match, Moves, NewGame, Replay, Report, Roles, Seats, Share, Speech, celebrate, keepAwake, sample, saving, showReview, sound };
