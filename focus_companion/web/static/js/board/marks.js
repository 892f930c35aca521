// Marks over and under the stacks: the last move's path, squares to correct, pieces to take out, choices.

import { CAP } from "./pieces.js";
import { parseMove } from "../lib/squares.js";
import { s } from "../lib/svg.js";

/** A ring along the edge of a square, where it hides no stack's number unless it is inset. */
const ringed = (board, square, kind, inset = 0) => {
  const { x, y, width, height } = board.cell(square);
  return s("rect", { class: `ring ${kind}`, x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset, rx: 11 });
};

const tinted = (board, square, kind) => {
  const { x, y, width, height } = board.cell(square);
  return s("rect", { class: `tint ${kind}`, x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 10 });
};

/** An arrow along a move, from the centre of one square to just short of the centre of another. */
function path(board, text, kind) {
  const move = parseMove(text);
  if (!move) return null;
  const to = board.cell(move.target);
  if (!move.origin) {
    const top = board.topOf(move.target) - (board.view === "flat" ? 4 : CAP.ry + 2);
    const tip = Math.max(top, to.y + 6);
    const from = tip - 34;
    const head = `M${to.cx - 13} ${tip - 15}L${to.cx} ${tip}L${to.cx + 13} ${tip - 15}`;
    return s("g", { class: `path ${kind}` }, s("path", { class: "halo", d: `M${to.cx} ${from}V${tip}${head}` }), s("path", { d: `M${to.cx} ${from}V${tip}${head}` }));
  }
  const from = board.cell(move.origin);
  const [dx, dy] = [to.cx - from.cx, to.cy - from.cy];
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  const [ax, ay] = [from.cx + ux * 14, from.cy + uy * 14];
  // The tip stops before the stack on the target: a high one reaches far up in the tilted view.
  const top = board.topOf(move.target) - (board.view === "flat" ? 2 : CAP.ry);
  const free = uy > 0 ? Math.min(to.cy - 34, top - 6) - from.cy : length - (ux ? 38 : 34);
  const far = Math.max(free, 40);
  const [bx, by] = [from.cx + ux * far, from.cy + uy * far];
  const wing = (side) => `${bx - ux * 18 + side * uy * 14} ${by - uy * 18 - side * ux * 14}`;
  const way = `M${ax} ${ay}L${bx} ${by}`;
  const head = `M${wing(1)}L${bx} ${by}L${wing(-1)}`;
  return s("g", { class: `path ${kind}` }, s("path", { class: "halo", d: way + head }), s("path", { class: "way", d: way }), s("path", { d: head }), s("circle", { cx: from.cx, cy: from.cy, r: 7 }));
}

const name = (x, y, label, move) => s("g", { class: "name", "data-move": move }, s("circle", { cx: x, cy: y, r: 19 }), s("text", { x, y: y + 9, "text-anchor": "middle" }, label));

/** Pieces that lie where the game has none, drawn translucent. */
function ghosts(board, { square, stack }) {
  const { cx, y, height } = board.cell(square);
  const below = board.stacks[square].length;
  const flat = board.view === "flat";
  const step = Math.min(board.step(square), 92 / (below + stack.length));
  const pieces = [...stack].map((letter, at) => (flat ? s("use", { href: `#bar-${letter}`, x: cx, y: y + height - 6 - (below + at + 1) * step }) : s("use", { href: `#cap-${letter}`, x: cx, y: board.topOf(square, below + at + 1) })));
  return s("g", { class: "ghost" }, ...pieces);
}

/** Possible places of a turn's letter, the preferred one first. */
function places(board, text) {
  const { origin, target } = parseMove(text);
  const { cx, cy, y } = board.cell(target);
  if (!origin) return [[cx, y - 6], [cx + 36, cy], [cx - 36, cy]];
  const from = board.cell(origin);
  const [mx, my] = [(from.cx + cx) / 2, (from.cy + cy) / 2];
  const [aside, below] = from.cy === cy ? [0, 36] : [36, 0];
  return [[cx, cy], [from.cx, from.cy], [mx, my], [mx + aside, my + below], [mx - aside, my - below]];
}

/** How far each turn is drawn from the centre line of its squares, as [x, y], so that turns along the same squares do not hide each other. */
function lanes(board, moves) {
  const spans = moves.map((text) => {
    const { origin, target } = parseMove(text);
    const to = board.cell(target);
    if (!origin) return { level: false, line: to.cx, low: to.y - 25, high: to.cy };
    const from = board.cell(origin);
    const level = from.cy === to.cy;
    const ends = level ? [from.cx, to.cx] : [from.cy, to.cy];
    return { level, line: level ? from.cy : from.cx, low: Math.min(...ends), high: Math.max(...ends) };
  });
  const along = (one, other) => one.level === other.level && one.line === other.line;
  const lane = [];
  for (const span of spans) {
    const used = lane.filter((_, at) => along(span, spans[at]) && span.low < spans[at].high && spans[at].low < span.high);
    lane.push([0, ...used.map((taken) => taken + 1)].find((free) => !used.includes(free)));
  }
  return spans.map((span, at) => {
    const last = Math.max(...lane.filter((_, other) => along(span, spans[other])));
    if (!last) return [0, 0];
    const share = lane[at] / last;
    // Vertical arrows keep to the left, because the numbers of the stacks are on the right.
    return span.level ? [0, 48 * share - 24] : [5 - 30 * share, 0];
  });
}

/** The turns to choose among, each with its letter; the letters lie above all arrows and do not overlap. */
function choices(board, moves) {
  const taken = [];
  const beside = lanes(board, moves);
  const free = ([x, y]) => taken.every(([left, top]) => Math.hypot(x - left, y - top) > 58);
  const letters = moves.map((move, at) => {
    const wanted = places(board, move).map(([x, y]) => [x + beside[at][0], y + beside[at][1]]);
    const place = wanted.find(free) ?? wanted[0];
    taken.push(place);
    return name(...place, String.fromCharCode(65 + at), move);
  });
  const arrows = moves.map((move, at) => s("g", { transform: `translate(${beside[at].join(" ")})` }, path(board, move, "candidate")));
  return [...arrows, ...letters];
}

/** A sign at the corner of a ringed square, so that colour alone does not carry the meaning. */
function badge(board, square, kind, sign) {
  const { x, y, width } = board.cell(square);
  return s("g", { class: `badge ${kind}` }, s("circle", { cx: x + width - 15, cy: y + 15, r: 14 }), s("text", { x: x + width - 15, y: y + 22, "text-anchor": "middle" }, sign));
}

/** How to undo an illegal act: the pieces go back where they came from, or off the board. */
function undo(board, { from, to }) {
  const a = board.cell(from);
  if (!to) {
    const d = `M${a.cx - 15} ${a.cy - 15}l30 30m0 -30l-30 30`;
    return s("g", { class: "path undo" }, s("path", { class: "halo", d }), s("path", { d }));
  }
  const b = board.cell(to);
  const [dx, dy] = [b.cx - a.cx, b.cy - a.cy];
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  // Curved, to distinguish it from the straight arrow of a turn and to leave the stacks between visible.
  const bow = Math.min(70, 0.28 * length) * (dx < 0 || (dx === 0 && dy > 0) ? -1 : 1);
  const [mx, my] = [(a.cx + b.cx) / 2 + uy * bow, (a.cy + b.cy) / 2 - ux * bow];
  const [ex, ey] = [b.cx - mx, b.cy - my];
  const last = Math.hypot(ex, ey);
  const [vx, vy] = [ex / last, ey / last];
  const [tx, ty] = [b.cx - vx * 20, b.cy - vy * 20];
  const wing = (side) => `${tx - vx * 22 + side * vy * 16} ${ty - vy * 22 - side * vx * 16}`;
  const bend = `M${a.cx} ${a.cy}Q${mx} ${my} ${tx} ${ty}`;
  const head = `M${wing(1)}L${tx} ${ty}L${wing(-1)}`;
  return s("g", { class: "path undo" }, s("path", { class: "halo", d: bend + head }), s("path", { class: "bend", d: bend }), s("path", { d: head }), s("circle", { cx: a.cx, cy: a.cy, r: 8 }));
}

/** The pieces to take out, drawn beside their stack, with a sign for where each one goes. */
function takeOut(board, prompt) {
  const { x, y, cy, width } = board.cell(prompt.square);
  const count = prompt.remove.length;
  const [wide, high] = [134, count * 58 + 16];
  const right = x + width + wide < 800;
  const left = right ? x + width + 6 : x - wide - 6;
  const top = Math.min(Math.max(cy - high / 2, -16), 8 * board.cell("d4").height - high);
  const rowsOf = prompt.remove.flatMap((item, at) => {
    // The bottom piece is first in the list and is drawn lowest.
    const middle = top + high - 42 - at * 58;
    const home = item.to === "reserve";
    return [
      s("use", { href: `#cap-${item.piece}`, x: left + 48, y: middle }),
      s("path", { class: `goes ${home ? "home" : "gone"}`, d: home ? `M${left + 113} ${middle - 8}c14 2 14 22 -4 22h-9m7 -7l-7 7l7 7` : `M${left + 99} ${middle - 6}l20 20m0 -20l-20 20` }),
    ];
  });
  return s("g", { class: "take-out" }, s("path", { class: "tail", d: `M${right ? left : left + wide} ${cy - 12}L${right ? x + width - 22 : x + 22} ${cy}L${right ? left : left + wide} ${cy + 12}Z` }), s("rect", { x: left, y: top, width: wide, height: high, rx: 14 }), ...rowsOf);
}

/**
 * The drawings for `marks`: {last, asked, hinted, wrong, undo, ghost, differ, prompt, candidates, selected, targets}.
 * `last`, `asked` and `candidates` are moves, `hinted` a square, `wrong` and `differ` lists of squares, `undo` and `ghost` as in alerts.js, `prompt` as in the state.
 */
export function drawMarks(board, marks) {
  const last = parseMove(marks.last);
  const under = [];
  const over = [];
  if (last) {
    if (last.origin) under.push(tinted(board, last.origin, "last"));
    under.push(tinted(board, last.target, "last"));
  }
  const wrong = marks.wrong ?? [];
  const differ = marks.differ ?? [];
  if (last && !wrong.length && !marks.candidates?.length && !marks.asked) over.push(path(board, marks.last, "last"));
  for (const square of marks.targets ?? []) over.push(ringed(board, square, "target", 12));
  if (marks.hinted) over.push(ringed(board, marks.hinted, "selected", 4));
  if (marks.selected) over.push(ringed(board, marks.selected, "selected", 4));
  for (const square of differ) under.push(tinted(board, square, "differ"));
  for (const square of differ) over.push(ringed(board, square, "differ"));
  for (const square of wrong) under.push(tinted(board, square, "wrong"));
  for (const square of wrong) over.push(ringed(board, square, "wrong"), badge(board, square, "wrong", "!"));
  if (marks.ghost) over.push(ghosts(board, marks.ghost));
  if (marks.asked) over.push(path(board, marks.asked, `asked ${marks.mover}`));
  if (marks.undo) over.push(undo(board, marks.undo));
  over.push(...choices(board, marks.candidates ?? []));
  if (marks.prompt) over.push(ringed(board, marks.prompt.square, "prompt"), takeOut(board, marks.prompt));
  return { under, over: over.filter(Boolean) };
}
