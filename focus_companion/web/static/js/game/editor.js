// Correcting the position by hand: any square's stack, the reserves, whose turn. The game then continues from it.

import { colourWord } from "../board/names.js";
import { token } from "../board/pieces.js";
import { playersOf, possible } from "./state.js";
import { LETTERS, stacksOf, textOf } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { t } from "../lib/texts.js";
import { playerName } from "./words.js";

const MAX_HEIGHT = 5;

/** How many pieces each player has in a game from its usual start. */
const SET_SIZE = { 2: 18, 3: 13, 4: 13 };

/** The pieces of a colour on the stacks, in reserve and captured; `reserves` and `captured` may be missing. */
function countOf(colour, stacks, reserves, captured) {
  const standing = Object.values(stacks).join("").split(LETTERS[colour]).length - 1;
  const taken = Object.values(captured ?? {}).reduce((sum, row) => sum + (row[colour] ?? 0), 0);
  return standing + (reserves?.[colour] ?? 0) + taken;
}

/** Identifies what a draft is meant to replace: the position after so many turns, and the reading if it began as one. */
const replaced = ({ game, moves = [], position, reading }, isReading) => JSON.stringify([game, moves.length, position, isReading && reading?.time]);

export class Editor {
  /** `onChange()` is called after every change of the draft, which is sent with `acts`; `getState()` returns the state. */
  constructor(card, onChange, acts, getState) {
    Object.assign(this, { card, onChange, acts, getState, state: null, stacks: null, square: null });
    card.querySelector("[data-edit=done]").addEventListener("click", () => this.done());
    card.querySelector("[data-edit=cancel]").addEventListener("click", () => this.close());
    card.querySelector("[data-edit=drop]").addEventListener("click", () => this.change((stack) => stack.slice(0, -1)));
    card.querySelector(".held").addEventListener("input", () => this.count());
    card.querySelector("[data-edit=empty]").addEventListener("click", () => this.change(() => ""));
  }

  get active() {
    return this.stacks !== null;
  }

  get position() {
    return textOf(this.stacks);
  }

  /** Start from the position of the game, or from what the camera has read. */
  open(state, reading = null) {
    Object.assign(this, { state, stacks: stacksOf((reading ?? state).position), square: null, isReading: Boolean(reading), replaces: replaced(state, Boolean(reading)) });
    this.doubtful = reading?.doubtful ?? [];
    this.card.querySelector(".first").replaceChildren(...(this.doubtful.length ? [t("Look at first:"), " ", ...this.doubtful.map((square) => h("button", { type: "button", on: { click: () => this.selectSquare(square) } }, square))] : []));
    this.card.querySelector(".explain").textContent = state.start_from ? t("The game begins from here.") : t("The game goes on from here. The record notes the correction; the turns so far are kept with it.");
    const colours = playersOf(state);
    this.card.querySelector(".add").replaceChildren(
      ...colours.map((colour) => h("button", { type: "button", "aria-label": t("Put a {colour} piece on top", { colour: colourWord(LETTERS[colour]) }), on: { click: () => this.change((stack) => stack + LETTERS[colour]) } }, "+", token(LETTERS[colour]))),
    );
    this.card.querySelector(".held").replaceChildren(
      ...colours.map((colour) => h("label", {}, h("span", {}, t("Reserve of {player}", { player: playerName(state, colour) })), h("input", { type: "number", min: 0, max: 99, name: colour, value: state.start_from ? 0 : (state.reserves?.[colour] ?? 0) }))),
    );
    this.offerPlayers(state);
    this.card.hidden = false;
    document.body.dataset.editing = "";
    this.selectSquare(null);
    this.onChange();
    // Bring the whole board and the editor into view, side by side or one below the other.
    scrollTo(0, 0);
    this.card.querySelector("h2").focus({ preventScroll: true });
  }

  /** Select the square to be edited. */
  selectSquare(square) {
    const focused = document.activeElement;
    this.square = square;
    const stack = square ? this.stacks[square] : "";
    this.card.querySelector(".at").textContent = square ?? t("Touch a square on the board to change its stack.");
    this.card.querySelector(".pile").replaceChildren(...[...stack].map((letter) => token(letter)));
    for (const button of this.card.querySelectorAll(".add button")) button.disabled = !square || stack.length >= MAX_HEIGHT;
    for (const name of ["drop", "empty"]) this.card.querySelector(`[data-edit=${name}]`).disabled = !stack;
    // The button that was just pressed has nothing left to do.
    if (focused.matches(":disabled")) this.card.querySelector("h2").focus({ preventScroll: true });
    this.count();
  }

  /** Offer everybody who is not out as the player to move. */
  offerPlayers(state) {
    const turn = this.card.querySelector("select");
    const inPlay = playersOf(state).filter((colour) => !(state.out ?? []).includes(colour));
    turn.replaceChildren(...inPlay.map((colour) => h("option", { value: colour }, playerName(state, colour))));
    if (state.to_move) turn.value = state.to_move;
  }

  get reserves() {
    return Object.fromEntries([...this.card.querySelectorAll(".held input")].map((input) => [input.name, Number(input.value)]));
  }

  /** Say which colour has more pieces than a set, and than the game so far. It may be right: sets differ. */
  count() {
    const { state } = this;
    const captured = state.start_from ? {} : state.captured;
    const usual = state.rules?.thirteenth_piece === false ? 12 : SET_SIZE[playersOf(state).length];
    const excess = playersOf(state).flatMap((colour) => {
      const limit = Math.max(usual, state.start_from ? 0 : countOf(colour, stacksOf(state.position), state.reserves, captured));
      const n = countOf(colour, this.stacks, this.reserves, captured);
      return n > limit ? [t("{player}: {n} pieces in all, with the reserve and those captured. A set has {limit}.", { player: playerName(state, colour), n, limit })] : [];
    });
    this.card.querySelector(".excess").textContent = excess.join(" ");
  }

  change(how) {
    if (!this.square) return;
    this.stacks[this.square] = how(this.stacks[this.square]);
    this.selectSquare(this.square);
    this.onChange();
  }

  async done() {
    const inputs = [...this.card.querySelectorAll(".held input")];
    // A number that no game has is for the player to correct: rounded, it would be another one.
    if (!inputs.every((input) => input.reportValidity())) return;
    const now = this.getState();
    const replaces = replaced(now, this.isReading);
    if (replaces !== this.replaces) {
      this.replaces = replaces;
      this.acts.toast(t("The game has gone on meanwhile. Press “Go on from here” again to set this position all the same."));
      return;
    }
    const body = { act: "set_position", position: this.position, to_move: this.card.querySelector("select").value, reserves: this.reserves };
    if (await this.acts.sendAt(now, body, this.isReading ? { reading: now.reading?.time ?? null } : {})) this.close();
  }

  /** Give up the draft once another game has begun or no position can be set any more; a player who is out does not move. */
  follow(state) {
    if (!this.active) return;
    if (state.game !== this.state.game || !(state.start_from || possible(state).edit)) this.close();
    else if (String(state.out) !== String(this.state.out)) {
      const chosen = this.card.querySelector("select").value;
      this.state = { ...this.state, out: state.out };
      this.offerPlayers(state);
      if (!(state.out ?? []).includes(chosen)) this.card.querySelector("select").value = chosen;
    }
  }

  close() {
    this.stacks = null;
    // The focus does not go to the top of the page with the card.
    if (this.card.contains(document.activeElement)) document.querySelector("#status").focus({ preventScroll: true });
    this.card.hidden = true;
    delete document.body.dataset.editing;
    this.onChange();
  }
}
