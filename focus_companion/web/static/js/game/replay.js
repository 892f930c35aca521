// The replay: shows any position of the game, by slider, buttons or the list of moves.

import { t } from "../lib/texts.js";

const TURN_MS = 900; // between two turns, at normal speed

export class Replay {
  /** Calls `onShow(state or null)`: the state to show instead of the live one, null to return to the live one.
   *  `toast(text)` tells why a position cannot be shown. */
  constructor(bar, onShow, toast) {
    Object.assign(this, { bar, onShow, toast, slider: bar.querySelector("input"), speed: bar.querySelector("select"), onPly: null, out: bar.querySelector("output"), positions: null, game: null, ply: null, newest: 0, timer: 0 });
    this.slider.addEventListener("input", () => {
      this.halt();
      this.go(Number(this.slider.value));
    });
    this.speed.addEventListener("change", () => {
      if (!this.timer) return;
      clearInterval(this.timer);
      this.tick();
    });
    document.addEventListener("keydown", (event) => {
      // The arrows keep their meaning in fields, lists, dialogs and on the board's squares.
      if (event.target.closest("input, select, textarea, dialog, [role=grid]") || event.altKey || event.ctrlKey || event.metaKey) return;
      const at = this.ply ?? this.newest;
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.newest }[event.key];
      if (to === undefined || !this.newest) return;
      event.preventDefault();
      this.halt();
      if (to >= this.newest) this.live();
      else this.go(Math.max(0, to));
    });
    bar.addEventListener("click", (event) => {
      const step = event.target.closest("button")?.dataset.step;
      const at = this.ply ?? this.newest;
      if (step && step !== "play") this.halt();
      if (step === "first") this.go(0);
      else if (step === "last") this.live();
      else if (step === "back") this.go(Math.max(0, at - 1));
      else if (step === "next") this.go(Math.min(this.newest, at + 1));
      else if (step === "play") this.play();
    });
  }

  /** Set the game and its number of plies; the cached positions are fetched again unless they are those of its turns. */
  follow(state) {
    const { game, ply: newest = 0 } = state;
    if (game !== this.game) Object.assign(this, { game, positions: null, ply: null });
    const outdated = !this.fits(state);
    if (outdated) this.positions = null;
    this.newest = newest;
    this.slider.max = newest;
    if (this.ply === null) this.slider.value = newest;
    else if (this.ply > newest) this.live();
    else if (outdated) this.go(this.ply);
    this.update();
  }

  /** Whether the cached positions are of these turns: others may have been taken back, or the position corrected. */
  fits({ ply: newest = 0, position, moves = [] }) {
    const { positions } = this;
    return !positions || ((positions[newest]?.position ?? position) === position && moves.every(({ ply, move }) => (positions[ply]?.move ?? move) === move));
  }

  update() {
    this.out.textContent = `${this.ply ?? this.newest} / ${this.newest}`;
    this.slider.disabled = this.newest === 0;
    this.onPly?.(this.ply ?? this.newest);
    const focused = this.bar.contains(document.activeElement) ? document.activeElement : null;
    for (const button of this.bar.querySelectorAll("button")) {
      const at = this.ply ?? this.newest;
      const back = ["first", "back"].includes(button.dataset.step);
      if (button.dataset.step === "play") button.setAttribute("aria-pressed", this.timer > 0);
      button.disabled = this.newest === 0 || (back ? at === 0 : button.dataset.step === "play" ? false : this.ply === null);
    }
    // At an end of the game, the button that led there has nothing left to do.
    if (focused?.matches(":disabled")) this.slider.focus({ preventScroll: true });
  }

  async load() {
    if (this.positions && this.positions.length > this.newest) return;
    const answer = await fetch(`/api/games/${encodeURIComponent(this.game)}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`game: ${answer.status}`);
    this.positions = (await answer.json()).positions;
  }

  async go(ply) {
    if (ply >= this.newest && !this.timer) return this.live();
    this.ply = ply;
    try {
      await this.load();
    } catch (problem) {
      console.info(problem.message);
      this.toast?.(t("The host does not answer. Try again when the page is live."));
      return this.live();
    }
    // Another step may have been requested in the meantime; the last one counts.
    if (this.ply !== ply) return undefined;
    this.slider.value = ply;
    this.update();
    return this.onShow(this.positions[ply] ?? null);
  }

  /** Stop the automatic replay; the shown position stays. */
  halt() {
    clearInterval(this.timer);
    this.timer = 0;
    this.update();
  }

  live() {
    this.halt();
    this.ply = null;
    this.slider.value = this.newest;
    this.update();
    this.onShow(null);
  }

  play() {
    if (this.timer) return this.halt();
    this.tick();
    this.update();
    return this.go(this.ply ?? 0);
  }

  tick() {
    this.timer = setInterval(() => {
      // The position before is still on its way.
      if (Number(this.slider.value) !== this.ply) return;
      const next = (this.ply ?? 0) + 1;
      if (next >= this.newest) this.live();
      else this.go(next);
    }, TURN_MS / Number(this.speed.value));
  }
}
