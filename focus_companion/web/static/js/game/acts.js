// The viewer's acts, sent to the host, with a confirmation before those that cannot be undone.

import { Chooser } from "./chooser.js";
import { ask, request } from "../lib/sending.js";
import { h } from "../lib/svg.js";
import { t, tn } from "../lib/texts.js";
import { goesOn, moverKind, playersOf } from "./state.js";
import { moveWords, playerName } from "./words.js";

/** The keys of the state under which the page asks something with answers of its own. */
const ASKED = ["alert", "reading", "seat_failed"];
/** Milliseconds after one alert has given way to another during which an answer was meant for the first. */
const LOOK_MS = 600;

/** Milliseconds within which a busy host decides about what it has accepted. */
const OUTCOME_MS = 60000;

export class Acts {
  /** `lookedAt()` returns the past ply that the viewer looks at, null for the present; `onChoosing()` is called while a turn is chosen on the board. */
  constructor(getState, toast, lookedAt, onChoosing) {
    this.getState = getState;
    this.lookedAt = lookedAt;
    this.chooser = new Chooser(onChoosing, (body) => this.sendAt(this.getState(), body), toast);
    this.toast = toast;
    this.pending = new Set(); // what the host has not answered yet
    this.awaited = -Infinity; // when the host last accepted an act that it had not carried out yet
    this.asked = {}; // the time of the event that asks, by key of the state
    this.gone = {}; // when the one before was last on show
    this.confirm = document.querySelector("#confirm");
  }

  async sure(question, buttons) {
    this.confirm.querySelector("h2").textContent = question;
    this.confirm.querySelector(".answers").replaceChildren(...buttons.map(([value, text]) => h("button", { value, class: "strong" }, text)), h("button", { value: "" }, t("No, go on")));
    return ask(this.confirm);
  }

  /** Send an act that is meant for this point of the game only: another viewer may have done it already. */
  sendAt({ game, moves = [] }, body, about = {}) {
    return this.send({ ...body, at: { game, moves: moves.length, ...about } });
  }

  /** The same, for an act that answers what is `shown` now: an alert, a reading or a seat that failed, by its time. */
  answer(state, shown, body) {
    if (performance.now() - this.gone[shown] < LOOK_MS) return this.toast(t("What the page showed has changed meanwhile. Please look again."));
    return this.sendAt(state, body, { [shown]: state[shown]?.time ?? null });
  }

  /** Note when what was asked gives way to something else: whoever presses a button then has not seen that yet. */
  follow(state) {
    for (const key of ASKED) {
      const now = state[key] ? `${state.game} ${state[key].time}` : "";
      if (this.asked[key] && this.asked[key] !== now) this.gone[key] = performance.now();
      this.asked[key] = now;
    }
  }

  /** Send an act; true if it was accepted. `meanwhile`: what is shown until the host answers. If it is still on its way, pressing again does not send it again. */
  async send(body, address = "/api/requests", meanwhile = "") {
    const sent = `${address} ${JSON.stringify(body)}`;
    if (this.pending.has(sent)) return false;
    this.pending.add(sent);
    try {
      const answer = await request(address, body, this.toast, meanwhile);
      if (answer?.done === false) this.awaited = performance.now();
      return answer !== null;
    } finally {
      this.pending.delete(sent);
    }
  }

  /** Tell of a refusal if it may be that of this viewer's act: whoever else asked is told on their page. */
  refused(text) {
    this.chooser.refused();
    if (performance.now() - this.awaited > OUTCOME_MS) return;
    this.awaited = -Infinity;
    this.toast(text);
  }

  /** Switch to a camera: the one that is plugged in, "phone", an address, or "demo" to choose again. The page reconnects by itself. */
  async useCamera(source) {
    if (await this.send(source ? { source } : {}, "/api/camera")) this.toast(t("The program restarts with the camera."));
  }

  /** Do an act; `square`: the one selected on the board, or null. */
  async run(act, square) {
    const state = this.getState();
    if (act === "take_back" && (await this.sure(t("Take the last turn back?"), [["yes", t("Take back")]]))) return this.sendAt(state, { act });
    if (act === "again") return this.again(state);
    if (act === "is_good") return this.isGood(square);
    if (act === "hint") return this.send({}, "/api/hint");
    if (act === "draw" && (await this.sure(t("Do all players agree to a draw?"), [["yes", t("Yes, a draw")]]))) return this.sendAt(state, { act });
    if (act === "resign" || act === "leave") {
      const inPlay = playersOf(state).filter((colour) => !(state.out ?? []).includes(colour));
      const question = act === "resign" ? t("Who resigns?") : t("Who leaves the table?");
      const player = await this.sure(question, inPlay.map((colour) => [colour, playerName(state, colour)]));
      if (player) return this.sendAt(state, { act, player });
    }
    if (act === "rematch" && goesOn(state)) return this.sendAt(state, { act });
    if (act === "rematch" && (await this.sure(t("A rematch? Everybody takes the next colour, so that another player begins."), [["yes", t("Rematch")]]))) return this.sendAt(state, { act });
    if (act === "not_legal") return this.notLegal(state);
    if (act === "legal") return this.legal(t("Which turn was it?"), t("The players’ word counts, and the record says so. It must be a turn that the rules allow."));
    if (act === "enter") return this.legal(t("Which turn was played?"), t("For a turn that the camera has missed. The record notes that it was entered by hand."));
    if (act === "begins") return this.answer(state, "alert", { act, player: state.begins });
    if (act === "my_turn") return this.myTurn(state);
    if (act.startsWith("seat_")) return this.answer(state, "seat_failed", { act: "seat", player: state.to_move, kind: { seat_companion: "companion", seat_board: "board" }[act] ?? state.seats[state.to_move] });
    if (act.startsWith("turn_")) return this.chooser.answer(act.slice(5));
    if (act === "pause") return this.send({ act: state.paused ? "resume" : "pause" });
    if (act === "read_board") {
      const asked = await this.send({ act });
      if (asked) this.toast(t("The picture is being read."));
      return asked;
    }
    if (act === "swap_colours") return this.swap(state, {});
    if (act === "dismiss") return this.answer(state, "alert", { act });
    if (act === "stands_right" && (await this.sure(t("Does every square look as the drawing shows?"), [["yes", t("They are set up correctly")]]))) return this.sendAt(state, { act });
    return false;
  }

  /** Exchange whose pieces are whose, unless another viewer has just done so. */
  swap(state, colours) {
    return this.sendAt(state, { act: "swap_colours", ...colours }, { arranged: state.arranged });
  }

  /** Ask how good it is to move the stack that is lifted, or else the selected one. */
  isGood(square) {
    return this.send({ square }, "/api/assessment", t("The computer compares it with all other turns."));
  }

  /** Rule that the turn looked at, else the last one, was not legal. */
  async notLegal(state) {
    const ply = this.lookedAt() || state.ply;
    const turn = (state.moves ?? []).find((item) => item.ply === ply);
    if (!turn) return this.toast(t("No turn has been played yet."));
    const later = state.ply - ply;
    const what = t("Was turn {ply}, {move}, not legal?", { ply, move: moveWords(turn.move) });
    const more = tn("{n} later turn is taken back with it.", "{n} later turns are taken back with it.", later);
    const question = later ? [what, more].join(" ") : what;
    return (await this.sure(question, [["yes", t("Not legal: take it back")]])) && this.sendAt(state, { act: "not_legal", ply });
  }

  /** Begin another game from the past position that the viewer looks at. */
  async again(state) {
    const ply = this.lookedAt();
    if (ply === null) return this.toast(t("Look back at a position first: with the arrows under the list of turns, or a turn in it."));
    const question = t("Begin another game from turn {ply}? The page leads you to set it up; this game stays in the list.", { ply });
    return (await this.sure(question, [["yes", t("Try again from here")]])) && this.send({ ply }, `/api/games/${state.game}/again`);
  }

  /** Ask a remote player for each turn once, without a button being pressed. */
  offer(state) {
    const mine = document.body.dataset.seat === state.to_move && moverKind(state) === "far";
    const calm = mine && !(state.reply || state.alert || state.prompt || state.unclear || state.paused || state.result);
    const turn = `${state.game} ${state.ply} ${state.position}`;
    if (!calm || this.offered === turn) return;
    this.offered = turn;
    this.myTurn(state).catch((problem) => {
      console.info(problem.message);
      // Try again when the connection to the host is back.
      this.offered = null;
    });
  }

  /** The legal turns now; says so if there are none. */
  async legalTurns() {
    const answer = await fetch("/api/legal", { cache: "no-store" });
    const { legal = [] } = answer.ok ? await answer.json() : {};
    if (!legal.length) this.toast(t("There is no legal turn now."));
    return legal;
  }

  /** Let a remote player choose a turn in exactly this position. */
  async myTurn(state) {
    const legal = await this.legalTurns();
    if (!legal.length) return undefined;
    const { to_move: player, game, ply, position } = state;
    return this.chooser.open(state, t("Which turn do you play?"), t("It is shown at the table and made there for you."), legal, (move) => this.send({ player, move, game, ply, position }, "/api/turn"));
  }

  /** Ask on the board which of the legal turns it was. */
  async legal(title, note) {
    const legal = await this.legalTurns();
    if (!legal.length) return undefined;
    return this.chooser.open(this.getState(), title, note, legal);
  }
}
