// A game without a screen: the browser speaks what happens and answers questions.

import { h } from "../lib/svg.js";
import { pref } from "../lib/prefs.js";
import { t } from "../lib/texts.js";
import { faultWords } from "./words.js";

/** Keys while speech is on, except in text fields. */
const KEYS = { r: "repeat", t: "turn", s: "standing", c: "time", w: "here" };

/** Maximum number of pending sentences; if there are more, as after a reconnect, only the newest are spoken. */
const MAX_PENDING = 4;

/** What is said to the people at the table; whoever plays from far away hears the turn once it is made. */
const FOR_TABLE = new Set(["prompt", "reply", "seat_failed", "set_up", "unclear"]);

const RETRY_MS = 5000; // between two attempts to hear a host that has too many viewers

const language = document.documentElement.lang;

/** A queue of sentences; an urgent one interrupts the others, and an interrupted turn is spoken again. */
class SpeechQueue {
  constructor() {
    this.waiting = []; // the current and the pending sentences, oldest first
    this.last = "";
  }

  say({ text, urgent }) {
    this.last = text;
    const now = { text, urgent };
    const left = this.waiting.filter((item) => !item.urgent).slice(-MAX_PENDING);
    if (urgent) this.instead([now, ...left]);
    else if (this.waiting.length > MAX_PENDING) this.instead([...left, now]);
    else this.utter(now);
  }

  instead(items) {
    this.hush();
    for (const item of items) this.utter(item);
  }

  /** Speak an answer at once: whoever asks no longer listens to the rest. */
  answer(text) {
    this.last = text;
    this.instead([{ text, urgent: false }]);
  }

  hush() {
    this.waiting = [];
    speechSynthesis.cancel();
  }

  utter({ text, urgent }) {
    // A new object, because the cancel event of its predecessor arrives later.
    const item = { text, urgent };
    const spoken = new SpeechSynthesisUtterance(text);
    spoken.lang = language;
    const done = () => (this.waiting = this.waiting.filter((other) => other !== item));
    spoken.addEventListener("end", done);
    spoken.addEventListener("error", done);
    this.waiting.push(item);
    speechSynthesis.speak(spoken);
  }
}

export class Speech {
  /** `panel`: the element with its buttons, or null; `nowOf()` returns the state; `choose(move)` answers a question, or is null; `toast(text)` reports errors. */
  constructor(panel, nowOf, choose, toast) {
    Object.assign(this, { panel, nowOf, choose, toast, source: null, fault: "" });
    this.able = "speechSynthesis" in window;
    if (!this.able) return;
    this.queue = new SpeechQueue();
    document.addEventListener("keydown", (event) => this.key(event));
    panel?.addEventListener("click", ({ target }) => {
      const about = target.closest("[data-ask]")?.dataset.ask;
      if (about) this.ask(about);
    });
    panel?.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask("square", event.target.elements.square.value);
    });
    this.follow();
  }

  get on() {
    return this.able && pref("sound") === "speech";
  }

  /** Start or stop speaking, as the setting says. */
  follow() {
    if (this.panel) this.panel.hidden = !this.on;
    if (!this.on) {
      this.source?.close();
      this.source = null;
      if (this.able) this.queue.hush();
    } else if (!this.source) {
      this.listen();
      this.notice(this.nowOf());
    }
  }

  /** Say that the game cannot be saved. There is no event for it, because every event is saved before it is sent. */
  notice(state) {
    if (!this.on) return;
    const text = state.fault ? `${t("The game cannot be saved")}. ${faultWords(state)}` : "";
    if (text && text !== this.fault) this.say({ text, urgent: true });
    this.fault = text;
  }

  listen() {
    const source = new EventSource(`/api/speech?lang=${language}`);
    this.source = source;
    source.addEventListener("said", ({ data }) => this.say(JSON.parse(data)));
    source.addEventListener("error", () => {
      // The browser itself tries again only if the host was not reached, and not if it had no room.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.source === source && this.listen(), RETRY_MS);
    });
  }

  say(sentence) {
    if (this.nowOf().seat && FOR_TABLE.has(sentence.type)) return;
    this.queue.say(sentence);
    this.show();
  }

  show() {
    const line = this.panel?.querySelector(".said");
    line?.replaceChildren(h("q", {}, this.queue.last));
  }

  async ask(about, square = "") {
    if (about === "stop") return this.queue.hush();
    if (about === "repeat" && this.queue.last) return this.queue.answer(this.queue.last);
    try {
      const answer = await fetch(`/api/speech/answer?${new URLSearchParams({ lang: language, about: about === "repeat" ? "turn" : about, square })}`);
      const { text, error } = await answer.json();
      this.queue.answer(text ?? error);
      return this.show();
    } catch (problem) {
      console.info(problem.message);
      return this.toast(t("The host does not answer. Try again when the page is live."));
    }
  }

  key(event) {
    if (!this.on || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
    const turn = this.nowOf().unclear?.[Number(event.key) - 1];
    if (event.key === "Escape") this.queue.hush();
    else if (turn) this.choose?.(turn);
    else if (KEYS[event.key] === "here") {
      const square = event.target.closest("[data-square]")?.dataset.square;
      if (square) this.ask("square", square);
    } else if (KEYS[event.key]) this.ask(KEYS[event.key]);
  }
}
