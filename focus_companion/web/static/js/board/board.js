// The board as an SVG, tilted or flat: stacks that show every piece, with marks for what needs attention.

import { drawMarks } from "./marks.js";
import { colourWord } from "./names.js";
import { BAR, CAP } from "./pieces.js";
import { SQUARES, reach, rows, stacksOf, viewPlace } from "../lib/squares.js";
import { s } from "../lib/svg.js";
import { list, sentenceCase, t, tn } from "../lib/texts.js";

const CELL = 100;
/** Margin for the names of rows and columns, in the drawing's units. */
const MARGIN = 30;
const VIEWS = {
  tilted: { height: 92, above: 26 },
  flat: { height: 100, above: 4 },
};

const boxPath = (x, y, wide, high, r) => {
  const corner = (dx, dy) => `a${r} ${r} 0 0 1 ${dx * r} ${dy * r}`;
  const [w, h] = [wide - 2 * r, high - 2 * r];
  return `M${x + r} ${y}h${w}${corner(1, 1)}v${h}${corner(-1, 1)}h${-w}${corner(-1, -1)}v${-h}${corner(1, -1)}z`;
};

const ovalPath = (cx, cy, rx, ry) => `M${cx - rx} ${cy}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;

/** The stack on a square, in words. */
export function stackWords(square, stack) {
  if (!stack) return t("{square}: empty", { square });
  const pieces = tn("{n} piece", "{n} pieces", stack.length);
  if (stack.length === 1) return t("{square}: {colour}, one piece", { square, colour: colourWord(stack) });
  return t("{square}: {pieces}, from the bottom {colours}", { square, pieces, colours: list([...stack].map(colourWord)) });
}

export class Board {
  /** `onSelect(square or null, words)` is called when a viewer selects a square. */
  constructor(svg, onSelect) {
    this.svg = svg;
    this.onSelect = onSelect;
    this.view = "tilted";
    this.turn = 0;
    this.stacks = stacksOf("");
    this.hands = new Set();
    /** Whether to show where a stack can go; not while a position is edited. */
    this.guides = true;
    this.marks = {};
    this.selected = null;
    /** While set, it is called with a touched square (null: outside all squares), and nothing is selected. */
    this.picker = null;
    /** Called with the turn whose letter was touched. */
    this.onLetter = () => {};
    this.cursor = "d4";
    svg.addEventListener("click", ({ target }) => {
      const letter = target.closest("[data-move]");
      if (letter) this.onLetter(letter.dataset.move);
      else this.select(target.closest("[data-square]")?.dataset.square ?? null);
    });
    svg.addEventListener("keydown", (event) => this.key(event));
    // A screen reader may move the focus to a square by itself.
    svg.addEventListener("focusin", ({ target }) => target.dataset.square && this.moveCursor(target.dataset.square));
    this.holders = null; // drawn with the first position
    this.begun = false;
  }

  /** Set the view, "tilted" or "flat", and which seat is nearest. */
  setView(view, turn) {
    if (view === this.view && turn === this.turn) return;
    this.view = view in VIEWS ? view : "tilted";
    this.turn = turn;
    if (this.holders) this.build();
  }

  /** Left, top and centre of a square's cell, in the drawing's units. */
  cell(square) {
    const [column, row] = viewPlace(square, this.turn);
    const { height } = VIEWS[this.view];
    return { x: column * CELL, y: row * height, cx: column * CELL + CELL / 2, cy: row * height + height / 2, width: CELL, height };
  }

  /** y of the centre of a stack's top, in the drawing's units. */
  topOf(square, count = this.stacks[square].length) {
    const { y, height } = this.cell(square);
    if (this.view === "flat") return y + height - 6 - count * this.step(square);
    return y + height - CAP.ry - CAP.side - 5 - Math.max(0, count - 1) * CAP.rise;
  }

  /** Distance between bars in the flat view; a stack above five is compressed. */
  step(square) {
    return Math.min(BAR.height + BAR.gap, 92 / this.stacks[square].length);
  }

  build() {
    const { height, above } = VIEWS[this.view];
    this.svg.setAttribute("viewBox", `${-MARGIN} ${-above} ${8 * CELL + MARGIN + 8} ${8 * height + above + MARGIN}`);
    this.svg.dataset.view = this.view;
    this.holders = new Map();
    this.under = s("g", { class: "under" });
    this.over = s("g", { class: "over" });
    const seen = rows(this.turn);
    const grid = seen.map((row, at) => s("g", { role: "row", "aria-rowindex": at + 1 }, ...row.map((square) => this.holder(square))));
    this.svg.replaceChildren(this.ground(seen), this.under, ...grid, this.over);
    for (const square of SQUARES) this.drawStack(square);
    this.drawMarks();
  }

  ground(seen) {
    // One path for all squares, because a phone draws three shapes faster than a hundred and fifty.
    const flat = this.view === "flat";
    const every = (className, shape) => s("path", { class: className, d: SQUARES.map((square) => shape(this.cell(square))).join("") });
    const cells = [
      every("cell", ({ x, y, width, height }) => boxPath(x + 2, y + 2, width - 4, height - 4, 10)),
      every("dome", ({ cx, cy }) => ovalPath(cx, cy + 4, 30, flat ? 30 : 22)),
      every("shine", ({ cx, cy }) => ovalPath(cx - 6, cy - 3, 15, flat ? 15 : 10)),
    ];
    const span = (squares) => {
      const [a, b] = [this.cell(squares[0]), this.cell(squares.at(-1))];
      return s("rect", { x: a.x - 5, y: a.y - 5, width: b.x - a.x + a.width + 10, height: b.y - a.y + a.height + 10, rx: 16 });
    };
    const columns = Array.from({ length: 8 }, (_, column) => seen.flat().filter((square) => viewPlace(square, this.turn)[0] === column));
    const body = [...seen, ...columns].map(span);
    const names = [];
    for (const row of seen) names.push([row[0], "left"]);
    for (const column of columns) names.push([column.at(-1), "bottom"]);
    const labels = names.map(([square, side]) => {
      const { x, y, cx, cy, height } = this.cell(square);
      const letter = (side === "left") === (this.turn % 2 === 0) ? square[1] : square[0];
      // Outside the board, where no stack hides them.
      return side === "left" ? s("text", { class: "coordinate", x: x - 17, y: cy + 8 }, letter) : s("text", { class: "coordinate", x: cx, y: y + height + 25 }, letter);
    });
    return s("g", { "aria-hidden": "true" }, s("g", { class: "body" }, ...body), ...cells, ...labels);
  }

  holder(square) {
    const { x, y, width, height } = this.cell(square);
    const pieces = s("g", { class: "pieces" });
    const hit = s("rect", { class: "hit", x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 10 });
    const element = s("g", { role: "gridcell", "data-square": square, tabindex: square === this.cursor ? 0 : -1 }, hit, pieces);
    this.holders.set(square, { element, pieces });
    return element;
  }

  drawStack(square) {
    const { element, pieces } = this.holders.get(square);
    const stack = this.stacks[square];
    const { x, y, cx, height } = this.cell(square);
    element.setAttribute("aria-label", stackWords(square, stack));
    const uses = [...stack].map((letter, at) =>
      this.view === "flat"
        ? s("use", { href: `#bar-${letter}`, x: cx, y: y + height - 6 - (at + 1) * this.step(square) })
        : s("use", { href: `#cap-${letter}`, x: cx, y: this.topOf(square, at + 1) }),
    );
    if (this.view === "tilted" && stack) uses.unshift(s("ellipse", { class: "shadow", cx: cx + 4, cy: y + height - CAP.ry - 3, rx: CAP.rx + 4, ry: CAP.ry }));
    if (stack.length > 1) uses.push(s("text", { class: "height", x: x + 95, y: y + height - 6, "text-anchor": "end" }, String(stack.length)));
    pieces.replaceChildren(...uses);
  }

  /** Show a position (as text), redrawing only changed stacks. `hands`: see handsFirst in state.js. `marks`: see marks.js. */
  show(position, hands = new Set(), marks = this.marks) {
    const before = this.stacks;
    Object.assign(this, { hands, marks, stacks: stacksOf(position) });
    const changed = SQUARES.filter((square) => this.stacks[square] !== before[square]);
    // The selection is stale once a turn has been played or another game has begun.
    if (changed.length && this.guides) this.selected = null;
    if (this.holders) this.redraw(changed);
    else this.build();
    this.begun = true;
    this.reportSelection();
  }

  redraw(changed) {
    for (const square of changed) {
      this.drawStack(square);
      const { pieces } = this.holders.get(square);
      pieces.classList.remove("fresh");
      // The first position appears at once; later changes are animated.
      if (this.begun) requestAnimationFrame(() => pieces.classList.add("fresh"));
    }
    this.drawMarks();
  }

  /** Draw these marks: see marks.js. */
  mark(marks) {
    this.marks = marks;
    this.drawMarks();
  }

  drawMarks() {
    if (!this.holders) return;
    const targets = this.selected ? this.targets() : [];
    const { under, over } = drawMarks(this, { ...this.marks, selected: this.selected ?? this.marks.selected, targets });
    this.under.replaceChildren(...under);
    this.over.replaceChildren(...over);
  }

  select(square) {
    if (square) this.moveCursor(square);
    if (this.picker) {
      this.picker(square);
      return;
    }
    this.selected = square === this.selected ? null : square;
    this.reportSelection();
    this.drawMarks();
  }

  reportSelection() {
    if (!this.selected) return this.onSelect(null, "");
    const stack = this.stacks[this.selected];
    const words = stackWords(this.selected, stack);
    const colour = colourWord(stack.at(-1));
    const can = this.hands.has(stack.at(-1)) ? t("{colour} must place a piece first.", { colour }) : t("{colour} can reach {squares}.", { colour, squares: list(this.targets()) });
    const more = stack && this.guides ? sentenceCase(can) : "";
    return this.onSelect(this.selected, `${words}. ${more}`);
  }

  /** Where the selected stack can go: nowhere while its player must place a piece first. */
  targets() {
    const stack = this.stacks[this.selected];
    return !this.guides || this.hands.has(stack.at(-1)) ? [] : reach(this.selected, stack.length);
  }

  moveCursor(square) {
    this.holders.get(this.cursor).element.setAttribute("tabindex", -1);
    this.cursor = square;
    this.holders.get(square).element.setAttribute("tabindex", 0);
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      const [column, row] = viewPlace(this.cursor, this.turn);
      const wanted = [column + step[0], row + step[1]];
      const next = SQUARES.find((square) => viewPlace(square, this.turn).every((value, axis) => value === wanted[axis]));
      if (next) {
        this.moveCursor(next);
        this.holders.get(next).element.focus();
      }
    } else if (event.key === "Enter" || event.key === " ") this.select(this.cursor);
    else if (event.key === "Escape" && this.selected) this.select(null);
    else return;
    event.preventDefault();
  }
}

