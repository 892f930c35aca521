// One table among the others: its board in small, whose turn it is, the clocks, and what is wrong.

import { Clocks } from "./clock.js";
import { PAINT, token } from "./pieces.js";
import { LETTERS, SQUARES, stacksOf, viewPlace } from "./squares.js";
import { playersOf } from "./state.js";
import { summary } from "./status.js";
import { h } from "./svg.js";
import { t, tn } from "./texts.js";
import { playerName } from "./words.js";

const SIDE = 20;
const SHARP = 2;

/** What matters at a table: as on the game's page, and whether the table is there at all. */
export function standing(tile) {
  const over = Boolean(tile.result);
  if (!tile.online && !over) return { kind: "gone", title: t("The table is gone"), text: t("Its program has stopped or its network is down. It catches up by itself.") };
  return summary(tile);
}

/** Whether the arbiter has to know: an alert, or a game that cannot go on or be kept. */
export const isOpen = (kind) => kind === "alert" || kind === "lost" || kind === "gone";

/** The kinds in the order in which tables stand on the page. */
export const rank = (kind) => ["alert", "gone", "lost"].indexOf(kind) + 1 || 9;

function mark(pen, letter, x, y, size) {
  pen.fillStyle = PAINT[letter].mark;
  pen.beginPath();
  if (letter === "g") {
    pen.moveTo(x, y - size);
    pen.lineTo(x + size, y + size * 0.8);
    pen.lineTo(x - size, y + size * 0.8);
  } else if (letter === "b") pen.rect(x - size * 0.8, y - size * 0.8, size * 1.6, size * 1.6);
  else if (letter === "y") {
    pen.rect(x - size, y - size * 0.35, size * 2, size * 0.7);
    pen.rect(x - size * 0.35, y - size, size * 0.7, size * 2);
  } else pen.arc(x, y, size * 0.85, 0, 7);
  pen.fill();
}

/** The position on a canvas: the top piece of every stack with its colour's shape, and how high the stack is. */
function draw(canvas, position, wrong) {
  const pen = canvas.getContext("2d");
  pen.setTransform(SHARP, 0, 0, SHARP, 0, 0);
  pen.clearRect(0, 0, 8 * SIDE, 8 * SIDE);
  const stacks = stacksOf(position);
  for (const square of SQUARES) {
    const [column, row] = viewPlace(square, 0);
    const [x, y] = [column * SIDE, row * SIDE];
    pen.fillStyle = "#34454f";
    pen.fillRect(x + 0.5, y + 0.5, SIDE - 1, SIDE - 1);
    const stack = stacks[square];
    if (stack) {
      const letter = stack.at(-1);
      const paint = PAINT[letter];
      if (paint) {
        pen.fillStyle = paint.top;
        pen.strokeStyle = "#0b1115";
        pen.lineWidth = 1;
        pen.beginPath();
        pen.arc(x + SIDE / 2 - 1, y + SIDE / 2, 7.4, 0, 7);
        pen.fill();
        pen.stroke();
        mark(pen, letter, x + SIDE / 2 - 1, y + SIDE / 2, 3.2);
      }
      if (stack.length > 1) {
        pen.font = "700 8.500px system-ui, sans-serif";
        pen.textAlign = "right";
        pen.lineWidth = 2.5;
        pen.strokeStyle = "#0b1115";
        pen.strokeText(String(stack.length), x + SIDE - 1, y + SIDE - 2);
        pen.fillStyle = "#fff";
        pen.fillText(String(stack.length), x + SIDE - 1, y + SIDE - 2);
      }
    }
    if (wrong?.includes(square)) {
      pen.lineWidth = 2;
      pen.strokeStyle = "#ff7a5c";
      pen.strokeRect(x + 1.5, y + 1.5, SIDE - 3, SIDE - 3);
    }
  }
}

export class Tile {
  /** `onChoose(name)` when a viewer wants to see the table in large. */
  constructor(name, onChoose) {
    this.name = name;
    this.canvas = h("canvas", { width: 8 * SIDE * SHARP, height: 8 * SIDE * SHARP, "aria-hidden": "true" });
    this.title = h("strong", { class: "tile-title" });
    this.people = h("span", { class: "tile-people" });
    this.note = h("span", { class: "tile-note" });
    this.button = h("button", { type: "button", class: "tile", on: { click: () => onChoose(name) } }, h("span", { class: "tile-name" }, name, this.note), this.canvas, this.title, this.people);
    this.element = h("li", {}, this.button);
    this.clocks = new Clocks(this.people);
  }

  show(tile) {
    this.tile = tile;
    this.now = standing(tile);
    this.button.dataset.kind = this.now.kind;
    this.title.textContent = this.now.title;
    this.note.textContent = tn("{n} turn", "{n} turns", tile.ply ?? 0);
    const look = `${tile.position} ${tile.alert?.squares}`;
    if (look !== this.look) draw(this.canvas, tile.position, tile.alert?.squares);
    this.look = look;
    this.people.replaceChildren(
      ...playersOf(tile).map((colour) => h("span", { class: "who", "data-turn": tile.to_move === colour }, token(LETTERS[colour]), h("span", { class: "name" }, playerName(tile, colour)), tile.clock ? h("span", { class: "clock", "data-clock": colour }) : null)),
    );
    this.clocks.show(tile.online ? tile.clock : tile.clock && { ...tile.clock, running: null });
  }
}
