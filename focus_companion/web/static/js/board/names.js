// The names and colours of the pieces: those of the player colours, or those of the set's profile.

import { LETTERS } from "../lib/squares.js";
import { t } from "../lib/texts.js";

let looks = {}; // names and shades of the set's profile, by letter

/** Apply `pieces` of the state; true if that changes any name or shade. */
export function takeLooks(pieces) {
  const now = Object.fromEntries(Object.entries(pieces ?? {}).filter(([, look]) => look.name).map(([colour, look]) => [LETTERS[colour] ?? colour, look]));
  const changed = JSON.stringify(now) !== JSON.stringify(looks);
  looks = now;
  return changed;
}

/** The shade of a letter's pieces in the profile, as #rrggbb, else undefined. */
export const shadeOf = (letter) => looks[letter]?.shade;

const usual = (name) => ({ White: t("White"), Black: t("Black"), Wood: t("Wood"), Brown: t("Brown"), Copper: t("Copper"), Silver: t("Silver"), Gold: t("Gold"), Red: t("Red"), Green: t("Green"), Blue: t("Blue"), Yellow: t("Yellow") })[name] ?? name;

/** A colour as a name. */
export function colourName(colour) {
  const look = looks[LETTERS[colour]];
  if (look) return usual(look.name);
  return { red: t("Red"), green: t("Green"), blue: t("Blue"), yellow: t("Yellow") }[colour] ?? colour;
}

/** The colour of a piece, by its letter, for use within a sentence. */
export function colourWord(letter) {
  const look = looks[letter];
  if (look) return usual(look.name).toLowerCase();
  return { r: t("red"), g: t("green"), b: t("blue"), y: t("yellow") }[letter] ?? letter;
}
