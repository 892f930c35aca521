// The one place that says what matters most now: an alert, a prompt, a state of the camera, the result, or whose turn.

import { token } from "../board/pieces.js";
import { parseMove } from "../lib/squares.js";
import { candidates, differing } from "./state.js";
import { h, s } from "../lib/svg.js";
import { bound, list, t, tn } from "../lib/texts.js";
import { alertText, alertTitle, boardNotFound, cameraWords, letterOf, moveWords, playerName, promptText, resultReason, resultText } from "./words.js";

/** What the status says names the player itself. */
const TELLS_TURN = new Set(["turn", "result", "unclear"]);
/** Classes that make what is said smaller, each in addition to those before it. */
const SMALLER = ["long", "longer", "longest"];
const CALM = new Set(["turn", "wait", "set-up"]);

/** {kind, title, text, letter, choices} for a state. */
export function summary(state) {
  const told = now(state);
  // Until play goes on, the calm states also tell what became of the journal.
  if (state.rescued && CALM.has(told.kind)) told.text = t("The journal was damaged: what was whole of it is saved, the damaged file is kept as {file}.", { file: state.rescued });
  return told;
}

function now(state) {
  if (state.result) {
    const letter = state.result.winners?.[0] ? letterOf(state.result.winners[0]) : null;
    return { kind: "result", title: resultText(state, state.result), text: resultReason(state, state.result), letter };
  }
  if (state.fault) return { kind: "lost", title: t("The game cannot be saved"), text: state.fault, sign: "fault" };
  if (state.paused) return { kind: "wait", title: t("Paused"), text: t("The board is not watched until the game goes on.") };
  const blind = cameraWords(state);
  if (blind && state.camera_why !== "out of view") return { kind: "lost", ...blind };
  if (state.alert && state.begins) {
    const player = playerName(state, state.begins);
    return { kind: "alert", title: t("{player} begins?", { player }), text: alertText(state, state.alert), begins: t("Yes, {player} begins", { player }), asked: state.alert.time };
  }
  if (state.alert) return { kind: "alert", title: alertTitle(state.alert.reason, state.placing), text: alertText(state, state.alert) };
  if (state.camera === "starting") return { kind: "wait", title: t("The camera starts"), text: t("The first picture comes in a moment.") };
  if (blind || (state.camera && state.camera !== "ok")) return { kind: "lost", ...(blind ?? boardNotFound()), place: true };
  const differ = differing(state);
  if (differ) {
    const title = state.ply ? t("The board differs from the game") : t("Set the pieces up");
    return { kind: "set-up", title, text: tn("This square is not right yet: {squares}.", "These {n} squares are not right yet: {squares}.", differ.length, { squares: list(differ) }) };
  }
  const choices = candidates(state);
  if (state.prompt) {
    const told = { kind: "prompt", title: t("The stack is above five"), text: promptText(state, state.prompt), letter: state.to_move ? letterOf(state.to_move) : null };
    if (!choices) return told;
    // It may have been followed already, and only the players can see that.
    if (choices.length === 1 && choices[0] === state.prompt.move) return { ...told, title: t("Is the stack trimmed?"), choices, yes: t("Yes, it is trimmed") };
  }
  // The question may stay open while play goes on, so it names whose turn it asks about, and bids nobody to wait.
  if (choices) {
    const player = playerName(state, state.to_move);
    // Of one turn alone, what else it may have been is no turn: pieces in a hand, or out of place.
    if (choices.length === 1) return { kind: "unclear", title: t("{player}: was it this turn?", { player }), text: t("If so, say it here or just play on. If not, put the pieces back."), choices };
    return { kind: "unclear", title: t("{player}: which turn was it?", { player }), text: t("Just play on: what follows usually tells. Or choose here."), choices };
  }
  if (!state.to_move) return { kind: "wait", title: t("Waiting for the game"), text: "" };
  const last = state.last_move;
  const first = (state.thirteenth ?? []).includes(state.to_move) ? t("The thirteenth piece comes first: place it on an empty square.") : "";
  const text = first || (last ? t("Last turn: {move}", { move: moveWords(last) }) : t("The game begins."));
  return { kind: "turn", title: t("{player} to move", { player: playerName(state, state.to_move) }), text, letter: letterOf(state.to_move) };
}

export class Status {
  constructor(element, loud, quiet, onChoose) {
    Object.assign(this, { element, loud, quiet, onChoose, spoken: "", fitting: 0 });
    this.token = h("div", { class: "status-token" });
    this.title = h("h2", { class: "status-title" });
    this.text = h("p", { class: "status-text" });
    this.turn = h("p", { class: "status-turn" });
    this.choices = h("div", { class: "status-choices" });
    element.append(this.token, h("div", { class: "status-words" }, this.title, this.text, this.choices), this.turn);
    // A phone may be turned while something is said.
    new ResizeObserver(() => this.width !== element.clientWidth && this.fit()).observe(element);
  }

  show(state) {
    const now = summary(state);
    this.element.dataset.kind = now.kind;
    this.element.dataset.letter = now.kind === "turn" ? now.letter : "";
    this.title.textContent = bound(now.title);
    this.text.textContent = bound(now.text);
    this.token.replaceChildren(...(now.letter ? [token(now.letter)] : [sign(now.sign ?? now.kind)]));
    // Whose turn it is stays in sight whatever else is to be said.
    const turn = !TELLS_TURN.has(now.kind) && (state.ply || state.ready) && state.to_move;
    this.turn.replaceChildren(...(turn ? [token(letterOf(state.to_move)), t("{player} to move", { player: playerName(state, state.to_move) })] : []));
    this.choices.replaceChildren(...(now.choices ?? []).map((move, at) => this.choice(move, String.fromCharCode(65 + at), state, now.yes)));
    if (now.begins && this.denied !== now.asked) this.choices.append(...this.beginning(now));
    this.element.dataset.choices = this.choices.childElementCount;
    if (now.place) this.choices.append(h("button", { type: "button", class: "choice", "data-act": "place" }, t("Show where the board is")));
    // Measured when all else of this change stands too, before it is drawn.
    this.fitting ||= requestAnimationFrame(() => {
      this.fitting = 0;
      this.fit();
    });
    this.say(now);
  }

  /** A long sentence gets smaller letters rather than more room: nothing below may move. */
  fit() {
    this.width = this.element.clientWidth;
    this.element.classList.remove(...SMALLER);
    for (const smaller of SMALLER) if (this.element.scrollHeight > this.element.clientHeight) this.element.classList.add(smaller);
  }

  /** A button for a turn that it may have been: the letter that the board shows it by, and the turn, or in words `yes`. */
  choice(move, letter, state, yes) {
    const { origin, target } = parseMove(move);
    const turn = yes ? [yes] : origin ? [`${origin}–${target}`] : [token(letterOf(state.to_move)), target];
    return h("button", { type: "button", class: "choice", "data-act": "", "data-move": move, title: moveWords(move), on: { click: () => this.onChoose(move) } }, h("b", {}, letter), ...turn, h("span", { class: "hidden" }, moveWords(move)));
  }

  /** Yes and no to the question who begins. With no, what the alert says is left to be done. */
  beginning({ begins, asked }) {
    const no = h("button", { type: "button", class: "choice", on: { click: () => (this.denied = asked, this.choices.replaceChildren()) } }, t("No"));
    return [h("button", { type: "button", class: "choice", "data-act": "begins" }, begins), no];
  }

  /** Tell screen readers once: alerts at once, the rest when they are done speaking. */
  say(now) {
    const words = `${now.title}. ${now.text}`;
    if (words === this.spoken) return;
    this.spoken = words;
    const loud = ["alert", "lost"].includes(now.kind);
    this.loud.textContent = loud ? words : "";
    this.quiet.textContent = loud ? "" : words;
  }
}

/** A camera, crossed out. */
const unseen = () => s("svg", { viewBox: "0 0 24 24" }, s("path", { d: "M4 8h3l1.5-2h7L17 8h3v10H4z" }), s("circle", { cx: 12, cy: 12.8, r: 2.8 }), s("path", { d: "M4 4l16 17" }));

const sign = (kind) => h("span", { class: "status-sign", "aria-hidden": "true" }, kind === "lost" ? unseen() : ({ alert: "!", fault: "!", "set-up": "⊞", unclear: "?", result: "★" }[kind] ?? "…"));
