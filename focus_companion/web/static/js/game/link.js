// The connection to the host: gets the state once, then every event with the state after it; recovers after gaps,
// sleep and restarts.

import { after } from "./state.js";

/** Keys of the state that change without an event. */
const EVENTLESS_KEYS = ["watching", "camera_found", "camera_free", "newer", "mount", "fault", "fault_cause", "seat"];
const POLL_INTERVAL_MS = 4000;
const CHECK_INTERVAL_MS = 30000;
const HIDDEN_TIMEOUT_MS = 60000;

export class Link {
  /** Calls `onState(state, event or null)` after every change and `onLine("connecting" | "live" | "polling" | "off")`. */
  constructor(onState, onLine) {
    this.onState = onState;
    this.onLine = onLine;
    this.state = null;
    this.last = null;
    this.source = null;
    this.timer = 0;
    this.hidden = 0;
    this.wait = 500;
    addEventListener("online", () => this.sync());
    addEventListener("pageshow", (event) => event.persisted && this.sync());
    addEventListener("pagehide", () => this.hangUp());
    document.addEventListener("visibilitychange", () => this.visibility());
    setInterval(() => this.check(), CHECK_INTERVAL_MS);
  }

  visibility() {
    clearTimeout(this.hidden);
    // A browser opens few connections to one host, so a hidden page closes its own.
    if (document.hidden) this.hidden = setTimeout(() => this.hangUp(), HIDDEN_TIMEOUT_MS);
    else this.sync();
  }

  hangUp() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  async fetchState() {
    // The page contains the state at the time of its request, which saves a phone one round trip.
    const brought = document.querySelector("#first-state");
    if (brought) {
      brought.remove();
      // A page from the browser's cache contains a stale state.
      if (performance.getEntriesByType("navigation")[0]?.type === "navigate" && performance.now() < 10000) return JSON.parse(brought.textContent);
    }
    const answer = await fetch("/api/state", { cache: "no-store" });
    if (!answer.ok) throw new Error(`state: ${answer.status}`);
    return answer.json();
  }

  /** Fetch the state and follow the events from there on. */
  async sync() {
    clearTimeout(this.timer);
    const before = this.last;
    try {
      const state = await this.fetchState();
      this.wait = 500;
      // Newer events have arrived in the meantime: showing this state would revert them for a moment.
      if (before !== null && state.event >= before && state.event < this.last) return this.sync();
      this.state = state;
      this.onState(state, null);
      // Events that the state already contains are skipped when they arrive; a lower number means another journal.
      const known = state.event ?? null;
      const restarted = this.last !== null && known !== null && known < this.last;
      this.last = known;
      if (restarted || !this.source || this.source.readyState === EventSource.CLOSED) this.open();
    } catch (problem) {
      console.info(problem.message);
      this.onLine("off");
      this.timer = setTimeout(() => this.sync(), this.wait);
      this.wait = Math.min(this.wait * 2, 8000);
    }
    return undefined;
  }

  open() {
    this.source?.close();
    const source = new EventSource(`/api/events?state=1${this.last === null ? "" : `&after=${this.last}`}`);
    this.source = source;
    let dropped = false;
    source.addEventListener("open", () => {
      this.onLine("live");
      if (dropped) this.sync();
      dropped = false;
    });
    source.addEventListener("error", () => {
      if (this.source !== source) return;
      dropped = true;
      if (source.readyState === EventSource.CLOSED) this.poll();
      else this.onLine("connecting");
    });
    source.addEventListener("message", (message) => this.take(message));
  }

  /** If no stream is available (too many viewers, or the host is down): poll, and try for a stream again. */
  poll(tries = 0) {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      if (tries >= 5) return this.sync();
      try {
        this.state = await this.fetchState();
        this.last = this.state.event ?? this.last;
        this.onLine("polling");
        this.onState(this.state, null);
        return this.poll(tries + 1);
      } catch (problem) {
        console.info(problem.message);
        return this.sync();
      }
      // Spread the requests: many viewers may be polling.
    }, POLL_INTERVAL_MS + Math.random() * (POLL_INTERVAL_MS / 2));
  }

  take(message) {
    const number = Number(message.lastEventId);
    if (this.last !== null && number <= this.last) return;
    this.last = number;
    const { event, state } = JSON.parse(message.data);
    const game = this.state?.game;
    // An old event after a gap comes without a state: fetch the present one.
    this.state = state ? after(this.state, state) : { ...this.state, event: number };
    // In another game this viewer may play another colour; the stream is the same for all viewers and has none.
    const another = this.state.game !== game && this.state.seat;
    if (another) this.state.seat = "";
    this.onState(this.state, event);
    if (!state) this.sync();
    else if (another) this.check();
  }

  /** Detect a connection that has died silently, by the number of the last event. */
  async check() {
    if (document.hidden || !this.source) return;
    try {
      const state = await this.fetchState();
      if (this.state && EVENTLESS_KEYS.some((name) => JSON.stringify(state[name]) !== JSON.stringify(this.state[name]))) {
        this.state = { ...this.state, ...Object.fromEntries(EVENTLESS_KEYS.map((name) => [name, state[name]])) };
        this.onState(this.state, null);
      }
      if (state.event !== undefined && state.event !== this.last) {
        const seen = this.last;
        setTimeout(() => this.last === seen && this.restart(), 1500);
      }
    } catch {
      this.restart();
    }
  }

  restart() {
    this.hangUp();
    this.sync();
  }
}
