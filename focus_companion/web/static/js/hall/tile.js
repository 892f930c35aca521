// The tile of one table: its board, whose turn it is, the clocks, and what is wrong.

import { Clocks } from "../game/clock.js";
import { draw, miniature } from "../board/miniature.js";
import { token } from "../board/pieces.js";
import { LETTERS } from "../lib/squares.js";
import { playersOf } from "../game/state.js";
import { summary } from "../game/status.js";
import { h } from "../lib/svg.js";
import { bound, t, tn } from "../lib/texts.js";
import { playerName } from "../game/words.js";

/** The status of a table: as on a screen beside it, where nobody can answer, or that the table is offline. */
export function standing(tile) {
  const over = Boolean(tile.result);
  if (!tile.online && !over) return { kind: "gone", title: t("The table is gone"), text: t("Its program has stopped or its network is down. It catches up by itself.") };
  return summary({ ...tile, watched: true });
}

/** Whether the arbiter is needed: an alert, or a game that cannot continue or be saved. */
export const isOpen = (kind) => kind === "alert" || kind === "lost" || kind === "gone";

/** The sort order of the kinds of open cases. */
export const rank = (kind) => ["alert", "gone", "lost"].indexOf(kind) + 1 || 9;

export class Tile {
  /** `onChoose(name)` is called when a viewer wants to enlarge the table. */
  constructor(name, onChoose) {
    this.name = name;
    this.seen = false;
    this.canvas = miniature();
    this.title = h("strong", { class: "tile-title" });
    this.people = h("span", { class: "tile-people" });
    this.note = h("span", { class: "tile-note" });
    this.button = h("button", { type: "button", class: "tile", on: { click: () => onChoose(name) } }, h("span", { class: "tile-name", title: name }, h("span", {}, name), this.note), this.canvas, this.title, this.people);
    this.element = h("li", {}, this.button);
    this.clocks = new Clocks(this.people, false);
  }

  show(tile) {
    const now = standing(tile);
    const note = tn("{n} turn", "{n} turns", tile.ply ?? 0);
    const players = playersOf(tile).map((colour) => ({ colour, name: playerName(tile, colour), turn: tile.to_move === colour }));
    this.tile = tile;
    this.now = now;
    this.button.dataset.kind = now.kind;
    this.title.textContent = bound(now.title);
    this.note.textContent = note;
    const seats = JSON.stringify([players, Boolean(tile.clock)]);
    if (seats !== this.seats)
      this.people.replaceChildren(
        ...players.map(({ colour, name, turn }) => h("span", { class: "who", "data-turn": turn }, token(LETTERS[colour]), h("span", { class: "name" }, name), tile.clock ? h("span", { class: "clock", "data-clock": colour }) : null)),
      );
    this.seats = seats;
    this.clocks.show(tile.online ? tile.clock : tile.clock && { ...tile.clock, running: null });
    this.paint();
  }

  /** Draw the board if it is visible. */
  paint() {
    const look = `${this.tile.position} ${this.tile.alert?.squares}`;
    if (!this.seen || look === this.look) return;
    draw(this.canvas, this.tile.position, this.tile.alert?.squares);
    this.look = look;
  }
}
