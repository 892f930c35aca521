// Choosing a turn on the board: by its letter, or by touching the stack that moved and then its target.

import { parseMove } from "../lib/squares.js";
import { t } from "../lib/texts.js";
import { moveWords } from "./words.js";

/** Number of turns with letters before a stack is touched: those closest to what the alert is about. */
const MAX_LETTERS = 6;

export class Chooser {
  /** `onChange()` is called after every step; `send(body)` sends the turn, and resolves to true if it was accepted; `tell(text)` shows a message. */
  constructor(onChange, send, tell) {
    Object.assign(this, { onChange, send, tell, legal: null, sent: false });
    document.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && this.active && this.close());
  }

  get active() {
    return this.legal !== null;
  }

  /** Ask the question `title` about the position of `state`, in which these turns are `legal`; `note` explains the effect.
   *  `hand(move)`, if given, receives the chosen turn; otherwise it is sent as the players' ruling. */
  open(state, title, note, legal, hand = null) {
    const squares = state.alert?.squares ?? [];
    const near = legal.filter((move) => squares.some((square) => move.includes(square))).slice(0, MAX_LETTERS);
    Object.assign(this, { title, note, legal, hand, near, about: key(state), sent: false });
    this.restart();
  }

  restart() {
    Object.assign(this, { origin: null, picked: null, shown: this.near, sent: false });
    this.onChange();
  }

  close() {
    this.legal = null;
    this.onChange();
  }

  /** Close the question as soon as the game goes on or the alert is settled. */
  follow(state) {
    if (this.active && key(state) !== this.about) this.close();
  }

  /** A square was touched; null for a touch outside all squares. */
  touch(square) {
    const to = this.legal.find((move) => move === `${this.origin}-${square}` || (square === this.origin && move === `*${square}`));
    if (to) return this.pick(to);
    const begun = this.legal.filter((move) => move === `*${square}` || move.startsWith(`${square}-`));
    const ended = this.shown.filter((move) => parseMove(move).target === square);
    if (begun.length === 1 && begun[0] === `*${square}`) return this.pick(begun[0]);
    if (!begun.length && ended.length === 1) return this.pick(ended[0]);
    if (!begun.length) {
      if (square) this.tell(t("No legal turn begins on {square}.", { square }));
      return this.restart();
    }
    Object.assign(this, { origin: square, picked: null, shown: begun });
    return this.onChange();
  }

  pick(move) {
    Object.assign(this, { picked: move, origin: parseMove(move).origin, shown: [move] });
    this.onChange();
  }

  /** Handle an answer button: "yes", "another" or "stop". */
  async answer(word) {
    if (word === "stop") return this.close();
    // The question stays until the state after the turn arrives; closing it earlier would show the alert again.
    if (this.sent) return undefined;
    if (word === "another") return this.restart();
    const move = this.picked;
    this.sent = true;
    this.sent = Boolean(await (this.hand ? this.hand(move) : this.send({ act: "legal", move })));
    return undefined;
  }

  /** The host has refused what was sent: let the question be answered again. */
  refused() {
    this.sent = false;
  }

  /** What status and board show while a turn is chosen, else null. */
  get view() {
    if (!this.active) return null;
    const { title, note, shown: choices, origin, picked } = this;
    const stop = ["turn_stop", t("Cancel")];
    if (picked) return { title: t("{move}?", { move: moveWords(picked) }), text: note, choices, origin, answers: [["turn_yes", t("Yes, this turn"), true], ["turn_another", t("Another turn")], stop], picked };
    if (this.hand) return { title, text: origin ? t("Touch where it goes, or a letter.") : t("Touch a stack of yours and then where it goes, or a square for a reserve piece."), choices, origin, answers: origin ? [["turn_another", t("Another stack")], stop] : [stop] };
    const text = origin ? t("Touch where it went, or a letter.") : choices.length ? t("Touch a letter, or the stack that moved and then where it went.") : t("Touch the stack that moved, then where it went.");
    return { title, text, choices, origin, answers: origin ? [["turn_another", t("Another stack")], stop] : [stop] };
  }
}

const key = ({ game, ply, position, to_move, alert, result, reply }) => JSON.stringify([game, ply, position, to_move, Boolean(alert), Boolean(result), reply?.move]);
