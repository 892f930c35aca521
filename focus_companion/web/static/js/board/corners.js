// For a board that is not found automatically: its four corners are dragged on the picture by finger, mouse or keys.

import { FILES_OF_RANK, SQUARES, stacksOf } from "../lib/squares.js";
import { h, s } from "../lib/svg.js";
import { t } from "../lib/texts.js";

const NAMES = ["a1", "h1", "h8", "a8"];
const DEFAULT_CORNERS = { a1: [0.2, 0.86], h1: [0.8, 0.86], h8: [0.7, 0.2], a8: [0.3, 0.2] };
const MAX_OUTSIDE = 0.06; // how far a corner may lie outside of the picture, as a fraction of its size
const KEY_STEP = 0.002; // how far an arrow key moves a corner, as a fraction of the picture's width
const SHIFT_FACTOR = 10; // factor of that step while Shift is held
const REFRESH_MS = 1500;
const LOUPE_ZOOM = 3;

const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** The homography from lattice coordinates (0 to 8 each way, a1 at 0, 0) to the picture, for corners by name. */
function lattice(corners) {
  const [p, q, r, o] = [corners.a1, corners.h1, corners.h8, corners.a8];
  const [dx1, dy1, dx2, dy2] = [q[0] - r[0], q[1] - r[1], o[0] - r[0], o[1] - r[1]];
  const [sx, sy] = [p[0] - q[0] + r[0] - o[0], p[1] - q[1] + r[1] - o[1]];
  const area = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / area;
  const k = (dx1 * sy - sx * dy1) / area;
  const [a, b] = [q[0] - p[0] + g * q[0], o[0] - p[0] + k * o[0]];
  const [d, e] = [q[1] - p[1] + g * q[1], o[1] - p[1] + k * o[1]];
  return (file, rank) => {
    const [u, v] = [file / 8, rank / 8];
    const w = g * u + k * v + 1;
    return [(a * u + b * v + p[0]) / w, (d * u + e * v + p[1]) / w];
  };
}

export class Corners {
  /** `getState()` returns the newest state; `send(body)` sends an act, and resolves to true if it was accepted. */
  constructor(dialog, getState, send) {
    Object.assign(this, { dialog, getState, send, corners: DEFAULT_CORNERS, dragged: null, address: null, timer: 0 });
    this.stage = dialog.querySelector(".stage");
    this.image = dialog.querySelector("img");
    this.loupe = dialog.querySelector("canvas");
    this.note = dialog.querySelector(".note");
    this.drawing = dialog.querySelector("svg");
    this.handles = Object.fromEntries(NAMES.map((name) => [name, this.handle(name)]));
    this.stage.append(...Object.values(this.handles));
    dialog.querySelector("[data-corners=turn]").addEventListener("click", () => this.turn());
    dialog.querySelector("[data-corners=auto]").addEventListener("click", () => this.hand(null));
    dialog.querySelector("[data-corners=cancel]").addEventListener("click", () => dialog.close());
    dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.hand(this.corners);
    });
    dialog.addEventListener("close", () => clearTimeout(this.timer));
  }

  handle(name) {
    const handle = h("button", { type: "button", class: "corner", "data-corner": name }, h("span", {}, name));
    handle.addEventListener("pointerdown", (event) => this.grip(name, event));
    handle.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, () => this.drop());
    handle.addEventListener("keydown", (event) => this.key(name, event));
    handle.addEventListener("blur", () => this.drop());
    return handle;
  }

  async open() {
    const answer = await fetch("/api/state", { cache: "no-store" });
    const state = answer.ok ? await answer.json() : this.getState();
    this.stacks = stacksOf(state.position);
    this.corners = Object.fromEntries(NAMES.map((name) => [name, [...(state.corners ?? DEFAULT_CORNERS)[name]]]));
    this.note.textContent = "";
    this.dialog.showModal();
    await this.refresh();
    this.draw();
  }

  /** Show the newest picture, and refresh it while nothing is being dragged. */
  async refresh() {
    clearTimeout(this.timer);
    if (!this.dialog.open) return;
    if (!this.dragged) {
      try {
        const answer = await fetch("/snapshot.jpg?width=1280", { cache: "no-store" });
        if (!answer.ok) throw new Error(`picture: ${answer.status}`);
        const before = this.address;
        this.address = URL.createObjectURL(await answer.blob());
        this.image.src = this.address;
        await this.image.decode();
        if (before) URL.revokeObjectURL(before);
        this.note.textContent = "";
      } catch (problem) {
        console.info(problem.message);
        this.note.textContent = t("The camera gives no picture");
      }
    }
    this.timer = setTimeout(() => this.refresh(), REFRESH_MS);
  }

  grip(name, event) {
    event.preventDefault();
    this.handles[name].focus();
    this.handles[name].setPointerCapture(event.pointerId);
    const [x, y] = this.at(event);
    // The corner keeps its distance from the finger, so that nothing jumps when it is touched.
    this.dragged = { name, dx: this.corners[name][0] - x, dy: this.corners[name][1] - y };
    this.magnify(name);
  }

  drag(event) {
    if (!this.dragged) return;
    const [x, y] = this.at(event);
    this.put(this.dragged.name, x + this.dragged.dx, y + this.dragged.dy);
  }

  drop() {
    this.dragged = null;
    this.loupe.hidden = true;
  }

  key(name, event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const step = KEY_STEP * (event.shiftKey ? SHIFT_FACTOR : 1);
    const [x, y] = this.corners[name];
    this.put(name, x + way[0] * step, y + way[1] * step * this.shape());
  }

  /** Aspect ratio of the picture. */
  shape() {
    return this.image.naturalWidth ? this.image.naturalWidth / this.image.naturalHeight : 4 / 3;
  }

  at(event) {
    const box = this.image.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  put(name, x, y) {
    const within = (value) => Math.min(1 + MAX_OUTSIDE, Math.max(-MAX_OUTSIDE, value));
    this.corners[name] = [within(x), within(y)];
    this.draw();
    this.magnify(name);
  }

  /** Rotate the names of the corners by a quarter turn. */
  turn() {
    const now = NAMES.map((name) => this.corners[name]);
    NAMES.forEach((name, at) => (this.corners[name] = now[(at + 1) % 4]));
    this.draw();
  }

  draw() {
    const [wide, high] = [1000, 1000 / this.shape()];
    this.drawing.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    const map = lattice(this.corners);
    const point = (file, rank) => {
      const [x, y] = map(file, rank);
      return `${(x * wide).toFixed(1)} ${(y * high).toFixed(1)}`;
    };
    const rings = { r: "", g: "", b: "", y: "", "": "" };
    for (const square of SQUARES) {
      const [file, rank] = [square.charCodeAt(0) - 97 + 0.5, Number(square[1]) - 0.5];
      const round = Array.from({ length: 16 }, (_, at) => point(file + 0.38 * Math.cos((at * Math.PI) / 8), rank + 0.38 * Math.sin((at * Math.PI) / 8)));
      rings[this.stacks[square].slice(-1)] += `M${round.join("L")}Z`;
    }
    const frame = `M${[[0, 0], [8, 0], [8, 8], [0, 8]].map(([file, rank]) => point(file, rank)).join("L")}Z`;
    const lines = [1, 2, 3, 4, 5, 6, 7].flatMap((line) => {
      // Lines are drawn only where the board has squares: none at its corners.
      const files = FILES_OF_RANK[Math.min(line, 8 - line)];
      const [from, to] = [files.charCodeAt(0) - 97, files.charCodeAt(files.length - 1) - 96];
      return [`M${point(from, line)}L${point(to, line)}`, `M${point(line, from)}L${point(line, to)}`];
    });
    const drawn = [s("path", { class: "edge", d: frame }), s("path", { class: "lines", d: lines.join("") })];
    for (const [letter, path] of Object.entries(rings)) if (path) drawn.push(s("path", { class: "halo", d: path }), s("path", { class: `piece ${letter}`, d: path }));
    this.drawing.replaceChildren(...drawn);
    for (const name of NAMES) {
      const [x, y] = this.corners[name];
      const handle = this.handles[name];
      handle.style.left = `${100 * x}%`;
      handle.style.top = `${100 * y}%`;
      handle.setAttribute("aria-label", t("Corner {name}, {x} from the left, {y} from the top. Arrow keys move it.", { name, x: percent(x), y: percent(y) }));
    }
  }

  /** Magnify what lies under a corner, on the side of the picture away from the hand. */
  magnify(name) {
    const [x, y] = this.corners[name];
    this.loupe.hidden = false;
    this.loupe.dataset.side = x < 0.5 ? "right" : "left";
    const size = this.loupe.clientWidth * devicePixelRatio;
    if (this.loupe.width !== size) this.loupe.width = this.loupe.height = size;
    const box = this.image.getBoundingClientRect();
    const pen = this.loupe.getContext("2d");
    const [wide, high] = [box.width * LOUPE_ZOOM * devicePixelRatio, box.height * LOUPE_ZOOM * devicePixelRatio];
    pen.fillStyle = "#0d1317";
    pen.fillRect(0, 0, size, size);
    pen.drawImage(this.image, size / 2 - x * wide, size / 2 - y * high, wide, high);
    const map = lattice(this.corners);
    const [file, rank] = [name[0] === "a" ? 0 : 8, name[1] === "1" ? 0 : 8];
    pen.lineWidth = 2 * devicePixelRatio;
    pen.strokeStyle = "#ffe27a";
    pen.beginPath();
    for (const [u, v] of [[8 - file, rank], [file, 8 - rank]]) {
      const [px, py] = map(u, v);
      pen.moveTo(size / 2, size / 2);
      pen.lineTo(size / 2 + (px - x) * wide, size / 2 + (py - y) * high);
    }
    pen.stroke();
    pen.strokeStyle = "#fff";
    pen.beginPath();
    pen.arc(size / 2, size / 2, 9 * devicePixelRatio, 0, 2 * Math.PI);
    pen.stroke();
  }

  async hand(corners) {
    if (await this.send({ act: "place_board", corners })) this.dialog.close();
  }
}
