// Who plays which pieces, before the first turn: their real shades as the camera sees them. Two players swap them with
// one press; with three or four, each shade is given to its player.

import { token } from "../board/pieces.js";
import { playersOf } from "./state.js";
import { LETTERS } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { t } from "../lib/texts.js";
import { playerName } from "./words.js";

export class Roles {
  /** `swap(state, {player, other})` exchanges the pieces of two players. */
  constructor(card, swap) {
    Object.assign(this, { card, swap, shown: "" });
  }

  show(state) {
    const players = playersOf(state);
    const seen = players.filter((colour) => state.pieces?.[colour]?.seen);
    const waits = !state.ply && !state.result && !state.start_from && state.camera === "ok" && seen.length === players.length;
    this.card.hidden = !waits;
    const key = waits ? JSON.stringify([state.game, state.pieces, state.players, players, state.swaps, state.arranged]) : "";
    if (key === this.shown) return;
    this.shown = key;
    this.card.querySelector(".buttons").hidden = !state.swaps || players.length > 2;
    const focused = this.card.contains(document.activeElement) && document.activeElement.name;
    this.card.querySelector("ul").replaceChildren(...(waits ? players.map((colour) => this.row(state, colour, players)) : []));
    if (focused) this.card.querySelector(`[name="${focused}"]`)?.focus();
  }

  row(state, colour, players) {
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = state.pieces[colour].seen;
    const who = state.swaps && players.length > 2 ? this.choice(state, colour, players) : h("span", {}, t("{player} has these", { player: playerName(state, colour) }));
    return h("li", {}, swatch, who, token(LETTERS[colour]));
  }

  /** Whose pieces of this colour are; choosing another player exchanges the two. */
  choice(state, colour, players) {
    const select = h("select", { name: `has-${colour}` }, ...players.map((other) => h("option", { value: other }, playerName(state, other))));
    select.value = colour;
    select.addEventListener("change", () => {
      const other = select.value;
      select.value = colour;
      this.swap(state, { player: colour, other });
    });
    return h("label", {}, h("span", {}, t("These belong to")), select);
  }
}
