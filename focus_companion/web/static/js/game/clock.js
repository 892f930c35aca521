// The players' clocks. The host counts in seconds of the stream; the page extrapolates between two updates.

import { t } from "../lib/texts.js";

const REFRESH_MS = 250;
/** Seconds left below which a clock is marked as short of time. */
const SHORT_TIME = 30;

/** Seconds as m:ss; h:mm:ss from an hour on. */
function clockText(seconds) {
  const sign = seconds < 0 ? "−" : "";
  const left = Math.abs(seconds);
  const whole = Math.floor(left);
  const two = (n) => String(n).padStart(2, "0");
  if (whole >= 3600) return `${sign}${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return `${sign}${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

export class Clocks {
  /** `alone`: whether it has its own timer; otherwise its owner calls `draw`. */
  constructor(table, alone = true) {
    Object.assign(this, { table, alone, clock: null, since: 0, timer: 0 });
  }

  /** Show the host's clocks; a new object restarts the extrapolation. */
  show(clock) {
    if (clock !== this.clock) Object.assign(this, { clock, since: performance.now() });
    clearInterval(this.timer);
    if (clock?.running && this.alone) this.timer = setInterval(() => this.draw(), REFRESH_MS);
    this.draw();
  }

  draw() {
    if (!this.clock) return;
    const { used, running, kind, seconds } = this.clock;
    for (const face of this.table.querySelectorAll("[data-clock]")) {
      const colour = face.dataset.clock;
      const gone = (used[colour] ?? 0) + (colour === running ? (performance.now() - this.since) / 1000 : 0);
      const left = kind === "down" ? seconds - gone : gone;
      const text = kind === "down" && left <= 0 ? t("time is up") : clockText(Math.max(0, left));
      if (face.textContent !== text) face.textContent = text;
      face.dataset.state = kind === "down" && left <= 0 ? "up" : kind === "down" && left < SHORT_TIME ? "short" : colour === running ? "runs" : "stands";
    }
  }
}
