// Who plays which pieces, before the first turn: their real shades as the camera sees them, and one press that swaps them.

import { token } from "../board/pieces.js";
import { playersOf } from "./state.js";
import { LETTERS } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { t } from "../lib/texts.js";
import { playerName } from "./words.js";

export class Roles {
  constructor(card) {
    Object.assign(this, { card, shown: "" });
  }

  show(state) {
    const players = playersOf(state);
    const seen = players.filter((colour) => state.pieces?.[colour]?.seen);
    const waits = !state.ply && !state.result && !state.start_from && state.camera === "ok" && seen.length === players.length;
    this.card.hidden = !waits;
    const key = waits ? JSON.stringify([state.pieces, state.players, players]) : "";
    if (key === this.shown) return;
    this.shown = key;
    this.card.querySelector("ul").replaceChildren(...(waits ? players.map((colour) => this.row(state, colour)) : []));
  }

  row(state, colour) {
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = state.pieces[colour].seen;
    return h("li", {}, swatch, h("span", {}, t("{player} has these", { player: playerName(state, colour) })), token(LETTERS[colour]));
  }
}
