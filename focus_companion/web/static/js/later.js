// What the page needs only when it stands already: dialogs, the editor, the match's score, the review.

import { Corners } from "./corners.js";
import { Editor } from "./editor.js";
import { Match } from "./match.js";
import { NewGame } from "./newgame.js";
import { showReview } from "./review.js";

export const later = { Corners, Editor, Match, NewGame, showReview };
