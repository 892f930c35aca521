// The list of moves, with notes in between. A click shows the position after that move.

import { token } from "../board/pieces.js";
import { playersOf } from "./state.js";
import { LETTERS } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { actWords, playedWords } from "./words.js";

export class Moves {
  /** `onPick(ply, note or null)` is called when a move or a note is clicked. */
  constructor(list, empty, onPick) {
    Object.assign(this, { list, empty, shown: [], current: null, notes: new Map() });
    list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      const note = this.notes.get(button);
      if (button) onPick(note ? note.after : Number(button.dataset.ply), note ?? null);
    });
  }

  show(state) {
    const items = state.moves ?? [];
    const keys = items.map((item) => `${item.ply ?? item.act} ${item.move ?? ""} ${item.player}`);
    const same = keys.length >= this.shown.length && this.shown.every((key, at) => key === keys[at]);
    if (!same) this.list.replaceChildren();
    for (const item of items.slice(this.list.children.length)) this.list.append(item.move ? this.turn(state, item) : item.note ? this.note(item) : h("li", { class: "act" }, actWords(state, item)));
    this.empty.hidden = items.length > 0;
    if (!same || keys.length !== this.shown.length) this.list.scrollTop = this.list.scrollHeight;
    this.shown = keys;
  }

  turn(state, item) {
    const { ply, player, move, reserve, captured } = item;
    const words = `${ply}. ${playedWords(state, item)}`;
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
    // Each of two players has a column; more players fill the two columns in turn.
    const order = playersOf(state);
    return h("li", { class: "turn", "data-column": order.length === 2 ? order.indexOf(player) + 1 : null }, button);
  }

  /** A note on the position after ply `after`: an alert, a turn taken back, a comment. */
  note(item) {
    const button = h("button", { type: "button" }, h("span", { class: "ply", "aria-hidden": "true" }, item.kind === "comment" ? "“" : "!"), h("span", {}, item.note));
    this.notes.set(button, item);
    return h("li", { class: `note ${item.kind}` }, button);
  }

  /** Mark the move whose position the board shows; null for the newest. */
  mark(ply) {
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = ply ? this.list.querySelector(`[data-ply="${ply}"]`) : null;
    button?.setAttribute("aria-current", "step");
    // Only the list itself scrolls, never the page.
    if (button) this.list.scrollTop = button.offsetTop - this.list.clientHeight / 2;
  }
}
