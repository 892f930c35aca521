// The checklist before a game: players and rules, the camera's placement, the pieces.

import { token } from "../board/pieces.js";
import { differing, phase, playersOf } from "./state.js";
import { LETTERS } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { offered } from "./reading.js";
import { list, t, tn } from "../lib/texts.js";
import { playerName, rulesWords } from "./words.js";

/** Number of hard squares up to which they are listed rather than counted. */
const MAX_LISTED = 8;

const advised = (code) =>
  ({
    lower: t("Move the camera away from above the board, so that it looks down at more of a slant."),
    higher: t("Raise the camera, so that near stacks hide less of far ones."),
    larger: t("Bring the camera closer, or choose larger pictures: the squares are too small."),
    whole: t("Move the camera back or turn it: tall stacks at the edge would leave the picture."),
    lens: t("The pieces do not lie quite where they should: measure the lens with calibrate."),
    light: t("Use more and softer light: the pieces hardly stand out from the board or from each other."),
  })[code];

/** The camera's placement as {kind: "good" | "fair" | "poor", text}: overall, which squares are hard to read, what to change. */
function mountVerdict({ verdict, tilt, squares, advice }) {
  const angle = { angle: Math.round(tilt) };
  const [kind, text] = {
    sure: ["good", t("The camera stands well: it can count the pieces in every stack ({angle}° off the vertical).", angle)],
    fair: ["fair", t("The camera stands well enough: it can count the pieces in most stacks ({angle}° off the vertical).", angle)],
    hard: ["poor", t("From here the camera can hardly count the pieces in a stack ({angle}° off the vertical).", angle)],
  }[verdict];
  const hard = Object.entries(squares).filter(([, level]) => level === "hard").map(([square]) => square);
  const where = !hard.length ? "" : hard.length <= MAX_LISTED ? t("Hard to read: {squares}.", { squares: list(hard) }) : tn("{n} square is hard to read.", "{n} squares are hard to read.", hard.length);
  return { kind, text: [text, where, ...advice.map(({ code, text: said }) => advised(code) ?? said)].filter(Boolean).join(" ") };
}

const item = (kind, title, ...more) => h("li", { "data-kind": kind }, h("span", { class: "tick", "aria-hidden": "true" }, { good: "✓", fair: "✓", poor: "!", wait: "…" }[kind]), h("div", {}, h("strong", {}, title), ...more));

export class SetUp {
  constructor(card, note) {
    Object.assign(this, { card, note, shown: "" });
  }

  show(state) {
    const verdict = state.mount ? mountVerdict(state.mount) : null;
    this.note.textContent = verdict?.text ?? "";
    this.note.dataset.kind = verdict?.kind ?? "";
    const waiting = phase(state) === "before";
    this.card.hidden = !waiting;
    if (!waiting) return;
    const differ = differing(state);
    const key = JSON.stringify([state.rules, state.players, verdict, differ, state.camera, state.start_from, Boolean(offered(state))]);
    // Redrawn only if its content changes, so that a button under the finger stays.
    if (key === this.shown) return;
    this.shown = key;
    const names = playersOf(state).map((colour) => h("span", { class: "who" }, token(LETTERS[colour]), playerName(state, colour)));
    const seen = state.camera === "ok";
    this.card.querySelector("ol").replaceChildren(
      item("good", t("Players and rules"), h("p", { class: "names" }, ...names), h("p", {}, rulesWords(state)), h("button", { type: "button", "data-act": "new_game" }, t("Change"))),
      item(seen ? (verdict?.kind ?? "good") : "wait", t("Camera"), h("p", {}, seen ? (verdict?.text ?? t("The board is found.")) : t("Show the camera the whole board, well lit, with nothing over it."))),
      state.start_from ? item("wait", t("Pieces"), h("p", {}, offered(state) ? t("The drawing shows what the camera reads. Begin from it, or correct it.") : t("Set up any position. It is read as soon as nothing moves.")), h("button", { type: "button", "data-act": "read_board" }, t("Read it again"))) : item(
        seen && !differ ? "good" : "wait",
        t("Pieces"),
        h("p", {}, !seen ? t("As soon as the board is found, the page says which squares are not right yet.") : differ ? tn("This square is not right yet: {squares}.", "These {n} squares are not right yet: {squares}.", differ.length, { squares: list(differ) }) : t("Looking …")),
        h("p", { class: "explain" }, t("Set the pieces up as the drawing shows. The game begins by itself.")),
        ...(seen && differ ? [h("button", { type: "button", "data-act": "stands_right" }, t("They are set up correctly"))] : []),
      ),
    );
  }
}
