// The list of moves. A click looks back at the position after that move.

import { token } from "../board/pieces.js";
import { LETTERS } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { t, tn } from "../lib/texts.js";
import { moveWords, playerName } from "./words.js";

export class Moves {
  constructor(list, empty, onPick) {
    Object.assign(this, { list, empty, shown: [], current: null });
    list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) onPick(Number(button.dataset.ply));
    });
  }

  show(state) {
    const items = state.moves ?? [];
    const keys = items.map((item) => `${item.ply ?? item.act} ${item.move ?? ""} ${item.player}`);
    const same = keys.length >= this.shown.length && this.shown.every((key, at) => key === keys[at]);
    if (!same) this.list.replaceChildren();
    for (const item of items.slice(this.list.children.length)) this.list.append(item.move ? this.turn(state, item) : this.act(state, item));
    this.empty.hidden = items.length > 0;
    if (!same || keys.length !== this.shown.length) this.list.scrollTop = this.list.scrollHeight;
    this.shown = keys;
  }

  turn(state, { ply, player, move, reserve = "", captured = "" }) {
    const name = playerName(state, player);
    const gone = [
      reserve ? tn("{n} piece to the reserve", "{n} pieces to the reserve", reserve.length) : "",
      captured ? tn("{n} piece captured", "{n} pieces captured", captured.length) : "",
    ].filter(Boolean);
    const words = [`${ply}. ${name}: ${moveWords(move)}`, ...gone].join(", ");
    const away = (letters, kind, sign) => (letters ? h("span", { class: `removed ${kind}` }, h("i", {}, sign), ...[...letters].map((letter) => token(letter))) : null);
    const button = h(
      "button",
      { type: "button", "data-ply": ply, "aria-label": words, title: words },
      h("span", { class: "ply" }, String(ply)),
      token(LETTERS[player]),
      h("span", { class: "text" }, move.replace("-", "–")),
      away(reserve, "home", "↩"),
      away(captured, "gone", "×"),
    );
    return h("li", {}, button);
  }

  act(state, { act, player }) {
    const name = playerName(state, player);
    const words = { resign: t("{player} resigns", { player: name }), leave: t("{player} leaves", { player: name }), draw: t("The players agree to a draw") }[act] ?? act;
    return h("li", { class: "act" }, words);
  }

  /** Show which move the board stands at; null for the newest. */
  mark(ply) {
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = ply ? this.list.querySelector(`[data-ply="${ply}"]`) : null;
    button?.setAttribute("aria-current", "step");
    // Only the list itself scrolls, never the page.
    if (button) this.list.scrollTop = button.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
  }
}
