// Open cases at the tables, the longest waiting first, with a sound for new ones.

import { draw, miniature } from "../board/miniature.js";
import { sound } from "../lib/sound.js";
import { h, inOrder } from "../lib/svg.js";
import { bound } from "../lib/texts.js";
import { sentence } from "../game/status.js";
import { isOpen, rank } from "./tile.js";

class Card {
  constructor(name, onChoose) {
    this.canvas = miniature();
    this.title = h("b", {});
    this.text = h("span", { class: "open-text" });
    this.button = h("button", { type: "button", on: { click: () => onChoose(name) } }, this.canvas, h("span", { class: "open-words" }, h("strong", {}, name), this.title, this.text));
    this.element = h("li", {}, this.button);
  }

  show({ tile, now }) {
    this.button.dataset.kind = now.kind;
    this.title.textContent = bound(now.title);
    this.text.textContent = bound(now.text);
    const look = `${tile.position} ${tile.alert?.squares}`;
    if (look !== this.look) draw(this.canvas, tile.position, tile.alert?.squares);
    this.look = look;
  }
}

export class Arbiter {
  /** `loud`: the assertive live region for screen readers; `compare(a, b)`: the order of names. */
  constructor(section, loud, compare, onChoose) {
    Object.assign(this, { section, loud, compare, onChoose, cards: new Map(), known: new Map() });
    this.list = section.querySelector("ol");
    this.count = section.querySelector(".count");
  }

  show(tiles) {
    const open = tiles.filter((tile) => isOpen(tile.now.kind));
    const since = (tile) => Date.parse(tile.tile.alert_at ?? "") || 0;
    open.sort((a, b) => rank(a.now.kind) - rank(b.now.kind) || since(a) - since(b) || this.compare(a.name, b.name));
    const words = new Map(open.map((tile) => [tile.name, `${tile.name}. ${sentence(tile.now.title)} ${tile.now.text}`]));
    this.say([...words].filter(([name, text]) => this.known.get(name) !== text).map(([, text]) => text));
    this.known = words;
    for (const name of this.cards.keys()) if (!words.has(name)) this.cards.delete(name);
    for (const tile of open) {
      if (!this.cards.has(tile.name)) this.cards.set(tile.name, new Card(tile.name, this.onChoose));
      this.cards.get(tile.name).show(tile);
    }
    this.section.dataset.open = open.length;
    this.count.textContent = open.length || "";
    inOrder(this.list, open.map((tile) => this.cards.get(tile.name).element));
  }

  say(fresh) {
    if (!fresh.length) return;
    this.loud.textContent = fresh.join(" ");
    sound("alert", fresh[0]);
  }
}
