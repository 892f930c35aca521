// Draws a piece: a domed cap in the tilted view, a bar in the flat one. Drawn once, then used by reference.
// Every piece shows its colour's shape on its top and its side, for those who cannot distinguish the colours.

import { s } from "../lib/svg.js";

export const CAP = { rx: 40, ry: 23, side: 10.5, rise: 10.5 };
export const BAR = { width: 90, height: 17.6, gap: 0.8 };

export const PAINT = {
  r: { light: "#ff8f8a", top: "#e5484d", side: "#b3262d", dark: "#79141a", mark: "#fff" },
  g: { light: "#8df0bd", top: "#2fb573", side: "#1a8150", dark: "#0c5031", mark: "#fff" },
  b: { light: "#a9cdff", top: "#4a8ef2", side: "#2862bf", dark: "#153e80", mark: "#fff" },
  y: { light: "#fff3b0", top: "#f7cf3c", side: "#cc9a12", dark: "#806007", mark: "#3a2c00" },
};

const DEFAULT_PAINT = { ...PAINT };

/** `shade` (#rrggbb) with each channel interpolated by `share` towards `end`. */
const towards = (shade, end, share) => `#${[1, 3, 5].map((at) => Math.round(parseInt(shade.slice(at, at + 2), 16) * (1 - share) + end * share).toString(16).padStart(2, "0")).join("")}`;

/** Paint the pieces in the shades of a set (`shadeOf(letter)`); those without a shade in their default colours. */
export function repaint(shadeOf) {
  for (const letter of Object.keys(DEFAULT_PAINT)) {
    const top = shadeOf(letter);
    const light = top && [1, 3, 5].reduce((sum, at) => sum + parseInt(top.slice(at, at + 2), 16), 0) > 360;
    PAINT[letter] = top ? { light: towards(top, 255, 0.5), top, side: towards(top, 0, 0.25), dark: towards(top, 0, 0.6), mark: light ? "#222" : "#fff" } : DEFAULT_PAINT[letter];
  }
  document.querySelector("svg.sprite")?.replaceWith(sprite());
}

/** The shape of a colour around (x, y): circle, triangle, square, cross. */
function shape(letter, x, y, size, flat, attributes) {
  const [w, v] = [size, size * flat];
  const points = {
    g: [[0, -1.15], [1.1, 0.8], [-1.1, 0.8]],
    b: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    y: [[-0.36, -1.1], [0.36, -1.1], [0.36, -0.36], [1.1, -0.36], [1.1, 0.36], [0.36, 0.36], [0.36, 1.1], [-0.36, 1.1], [-0.36, 0.36], [-1.1, 0.36], [-1.1, -0.36], [-0.36, -0.36]],
  }[letter];
  if (!points) return s("ellipse", { cx: x, cy: y, rx: w, ry: v, ...attributes });
  return s("polygon", { points: points.map(([a, b]) => `${x + a * w},${y + b * v}`).join(" "), ...attributes });
}

function gradients(letter) {
  const p = PAINT[letter];
  const stop = (offset, colour) => s("stop", { offset, "stop-color": colour });
  return [
    s("linearGradient", { id: `side-${letter}` }, stop(0, p.dark), stop(0.22, p.side), stop(0.42, p.top), stop(0.7, p.side), stop(1, p.dark)),
    s("radialGradient", { id: `top-${letter}`, cx: 0.42, cy: 0.3, r: 0.75 }, stop(0, p.light), stop(0.35, p.top), stop(1, p.side)),
  ];
}

function cap(letter) {
  const { rx, ry, side } = CAP;
  const p = PAINT[letter];
  const body = `M${-rx} 0v${side}A${rx} ${ry} 0 0 0 ${rx} ${side}v${-side}A${rx} ${ry} 0 0 1 ${-rx} 0Z`;
  const marks = [-0.58, 0, 0.58].map((at) => shape(letter, at * rx, ry * Math.sqrt(1 - at * at) + side / 2 - 0.4, at ? 2.5 : 3.1, 1, { fill: p.mark, opacity: 0.92 }));
  return s(
    "g",
    { id: `cap-${letter}` },
    s("path", { d: body, fill: `url(#side-${letter})`, stroke: "#0b1115", "stroke-width": 1.6 }),
    ...marks,
    s("ellipse", { rx, ry, fill: `url(#top-${letter})`, stroke: p.dark, "stroke-width": 1.2 }),
    s("ellipse", { cx: -1, cy: -2.5, rx: rx * 0.74, ry: ry * 0.7, fill: `url(#top-${letter})`, stroke: p.light, "stroke-width": 0.8, "stroke-opacity": 0.55 }),
    shape(letter, -0.5, -2.5, 12, 0.6, { fill: p.mark, opacity: 0.95 }),
  );
}

function bar(letter) {
  const p = PAINT[letter];
  const { width, height } = BAR;
  return s(
    "g",
    { id: `bar-${letter}` },
    s("rect", { x: -width / 2, width, height, rx: 5, fill: p.top, stroke: "#0b1115", "stroke-width": 1.4 }),
    s("rect", { x: -width / 2 + 2, y: height - 5, width: width - 4, height: 3.5, rx: 1.7, fill: p.side, opacity: 0.75 }),
    shape(letter, -width / 2 + 13, height / 2, 5, 1, { fill: p.mark }),
    s("text", { y: height / 2 + 4.7, "text-anchor": "middle", class: "letter", fill: p.mark }, letter.toUpperCase()),
    shape(letter, width / 2 - 13, height / 2, 5, 1, { fill: p.mark }),
  );
}

/** The drawings of all pieces, to be put into the page once. */
export function sprite() {
  const letters = Object.keys(PAINT);
  const defs = s("defs", {}, ...letters.flatMap((letter) => [...gradients(letter), cap(letter), bar(letter)]));
  return s("svg", { class: "sprite", width: 0, height: 0, "aria-hidden": "true" }, defs);
}

/** Pieces in one stack beside the board. */
const MAX_HEAP = 5;

/** A number of pieces piled up beside a board, in stacks of at most five; an empty place for none. */
export function heap(letter, count) {
  const { rx, ry, side, rise } = CAP;
  const foot = (MAX_HEAP - 1) * rise;
  const box = { class: "heap", viewBox: `${-rx - 2} ${-ry - 2} ${2 * rx + 4} ${2 * ry + side + foot + 4}`, "aria-hidden": "true" };
  if (!count) return [s("svg", box, s("ellipse", { class: "place", cy: foot + side / 2, rx: rx - 3, ry: ry - 2 }))];
  const stacks = Array.from({ length: Math.ceil(count / MAX_HEAP) }, (_, at) => Math.min(MAX_HEAP, count - at * MAX_HEAP));
  return stacks.map((high) => s("svg", box, ...Array.from({ length: high }, (_, at) => s("use", { href: `#cap-${letter}`, y: foot - at * rise }))));
}

/** A small cap for use beside text. */
export function token(letter, extra = "") {
  const view = `${-CAP.rx - 2} ${-CAP.ry - 2} ${2 * CAP.rx + 4} ${2 * CAP.ry + CAP.side + 4}`;
  return s("svg", { class: `token ${extra}`, viewBox: view, "aria-hidden": "true" }, s("use", { href: `#cap-${letter}` }));
}
