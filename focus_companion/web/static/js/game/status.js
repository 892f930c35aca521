// The status: what matters most now, be it an alert, a prompt, the camera, the result, or whose turn it is.

import { stackWords } from "../board/board.js";
import { token } from "../board/pieces.js";
import { parseMove, stacksOf } from "../lib/squares.js";
import { candidates, differing, goesOn, moverKind, possible } from "./state.js";
import { offered, readingWords } from "./reading.js";
import { h, s } from "../lib/svg.js";
import { bound, list, sentenceCase, t, tn } from "../lib/texts.js";
import { actWords, alertText, alertTitle, boardNotFound, cameraWords, faultWords, letterOf, moveWords, ofBoard, playedWords, playerName, removalWords, resultReason, resultText } from "./words.js";

/** Kinds of status whose own text names the player to move. */
const NAMES_TURN = new Set(["turn", "result", "unclear", "choose", "reply"]);
const CALM = new Set(["turn", "wait", "set-up"]);

/** Kinds of status that ask the people at the table to do or to answer something. */
const FOR_TABLE = new Set(["alert", "lost", "prompt", "set-up", "unclear"]);

const LOUD = new Set(["alert", "lost"]);
/** Delay of an announcement after an event, because a ruling and its turn arrive together. */
const ANNOUNCE_DELAY_MS = 100;

/** {kind, title, text, letter, choices, answers} for a state: `choices` are turns, `answers` are [act, words, whether it is the main one]. */
export function summary(state) {
  const summed = now(state);
  // Somebody who plays from far away cannot do it. Questions about turns say only how the table may answer.
  if (document.body.dataset.seat && (FOR_TABLE.has(summed.kind) || summed.setsUp)) summed.text = [summed.choices ? "" : summed.text, t("The people at the table see to it.")].filter(Boolean).join(" ");
  // Until play goes on, statuses without a problem also report the rescued journal.
  if (state.rescued && CALM.has(summed.kind)) summed.text = t("The journal was damaged: what was intact has been saved, and the damaged file is kept as {file}.", { file: state.rescued });
  return summed;
}

function now(state) {
  if (state.asking) return { kind: "choose", sign: "unclear", ...state.asking };
  if (state.result) {
    const letter = state.result.winners?.[0] ? letterOf(state.result.winners[0]) : null;
    return { kind: "result", title: resultText(state, state.result), text: resultReason(state, state.result), letter, answers: [["rematch", goesOn(state) ? t("Next game of the match") : t("Rematch"), true], ["review", t("Review")]] };
  }
  if (state.fault) return { kind: "lost", title: t("The game cannot be saved"), text: faultWords(state), sign: "fault" };
  if (state.paused) return { kind: "wait", title: t("Paused"), text: t("The board is not watched until the game goes on.") };
  const blind = cameraWords(state);
  const reading = offered(state);
  if (reading && !state.watched) return { kind: "set-up", ...readingWords(state, reading) };
  if (blind && !ofBoard(state.camera_why)) return { kind: "lost", ...blind };
  if (state.alert && state.begins) {
    const player = playerName(state, state.begins);
    return { kind: "alert", title: t("{player} begins?", { player }), text: alertText(state, state.alert), answers: [["begins", t("Yes, {player} begins", { player }), true], ["begins_not", t("No")]] };
  }
  if (state.alert) {
    const inHand = state.alert.reason === "wrong_removal" && !state.prompt && possible(state).is_good;
    const text = [alertText(state, state.alert), assessmentWords(state.assessment)].filter(Boolean).join(" ");
    const answers = [["legal", t("That was legal"), true], ["dismiss", t("It is settled")]];
    if (inHand) answers.push(["is_good", t("Is this good?")]);
    // Turns may have been played out of sight: then the game can go on from what stands there.
    if (state.alert.reason === "unexplained" && goesOnFrom(state)) answers.push(["read_board", t("Read the board")]);
    return { kind: "alert", title: alertTitle(state.alert.reason, state.placing), text, answers };
  }
  if (state.camera === "starting") return { kind: "wait", title: t("The camera is starting"), text: t("The first picture will arrive in a moment.") };
  if (state.start_from) {
    if (state.reading?.position === "") return { kind: "lost", ...boardNotFound() };
    return { kind: "wait", setsUp: true, title: t("Set up any position"), text: t("It is read as soon as nothing moves.") };
  }
  if (state.camera_why === "hidden") return { kind: "lost", ...blind };
  if (blind || (state.camera && state.camera !== "ok")) return { kind: "lost", ...(blind ?? boardNotFound()), answers: [["place", t("Show where the board is")], ...(goesOnFrom(state) ? [["read_board", t("Read the board")]] : [])] };
  const differ = differing(state);
  if (differ) {
    const title = state.ply ? t("The board differs from the game") : t("Set the pieces up");
    const wrong = tn("This square is not right yet: {squares}.", "These {n} squares are not right yet: {squares}.", differ.length, { squares: list(differ) });
    return { kind: "set-up", title, text: [nextWords(state.position, differ[0]), wrong].join(" "), answers: goesOnFrom(state) ? [["read_board", t("Read the board")]] : [] };
  }
  const choices = candidates(state);
  if (state.prompt) {
    const prompt = { kind: "prompt", title: t("The stack is above five"), text: removalWords(state, state.prompt), letter: state.to_move ? letterOf(state.to_move) : null };
    if (!choices) return prompt;
    // The stack may have been trimmed already, which only the players can see.
    if (choices.length === 1 && choices[0] === state.prompt.move) return { ...prompt, title: t("Is the stack trimmed?"), choices, yes: t("Yes, it is trimmed") };
  }
  // The question may stay open while play goes on, so it names the player and does not ask anybody to wait.
  if (choices) {
    const player = playerName(state, state.to_move);
    // With one candidate, the alternative is not a turn: pieces in a hand, or out of place.
    if (choices.length === 1) return { kind: "unclear", title: t("{player}: was it this turn?", { player }), text: state.watched ? t("If so, just play on. If not, put the pieces back.") : t("If so, say it here or just play on. If not, put the pieces back."), choices };
    return { kind: "unclear", title: t("{player}: which turn was it?", { player }), text: state.watched ? t("Just play on: the next turns usually settle it.") : t("Just play on: the next turns usually settle it. Or choose here."), choices };
  }
  if (state.camera === "ok" && !state.ply && !state.ready) return { kind: "wait", setsUp: true, title: t("Set the pieces up"), text: t("Set the pieces up as the drawing shows. The game begins by itself.") };
  if (!state.to_move) return { kind: "wait", title: t("Waiting for the game"), text: "" };
  if (state.looking || moverKind(state) === "board") return turn(state);
  return handless(state, playerName(state, state.to_move), letterOf(state.to_move));
}

/** Whether the position comes from earlier turns or was set up by hand, and is not the start of the rules. */
const goesOnFrom = (state) => state.ply || state.rules?.set_up === "position";

/** What belongs on the square to be corrected next. */
function nextWords(position, square) {
  const stack = stacksOf(position)[square];
  if (!stack) return t("Next: {square} must be empty.", { square });
  return t("Next: {stack}.", { stack: stackWords(square, stack) });
}

/** A player who is not at the table is to move: the turn to make for them, or why there is none yet. */
function handless(state, player, letter) {
  const { reply, seat_failed: failed } = state;
  const { seat } = document.body.dataset;
  const mine = seat === state.to_move;
  if (reply && seat) {
    const gone = (to) => reply.remove.filter((item) => item.to === to).map((item) => item.piece).join("");
    const title = mine ? t("Your turn is being made at the table") : t("{player}: the turn is being made at the table", { player });
    const text = playedWords(state, { player: state.to_move, move: reply.move, reserve: gone("reserve"), captured: gone("captured") });
    return { kind: "reply", title, text: sentence(text), letter };
  }
  if (reply) {
    const move = t("{move}.", { move: sentenceCase(moveWords(reply.move)) });
    const square = parseMove(reply.move).target;
    const text = reply.remove.length ? `${move} ${removalWords(state, { square, remove: reply.remove })}` : move;
    return { kind: "reply", title: t("Do this for {player}", { player }), text, letter };
  }
  if (failed) {
    const answers = [["seat_companion", t("The computer takes over"), true], ["seat_board", t("Somebody at the table")], ["seat_again", t("Try again")]];
    if (moverKind(state) === "companion") answers.shift();
    const text = { late: t("The program that plays has not answered in time."), ended: t("The program that plays has ended."), missing: t("The program that plays does not start."), away: t("The other table does not answer."), apart: t("The game at the other table is not this one. The host’s terminal says where they differ.") }[failed.why] ?? t("The program that plays did not answer with a legal turn.");
    return { kind: "unclear", title: t("Who takes over for {player}?", { player }), text, answers, letter };
  }
  const text = seat ? "" : t("The turn to be made on the board is shown here.");
  if (moverKind(state) === "table") return { kind: "turn", title: t("{player} plays at the other table", { player }), text, letter };
  if (moverKind(state) !== "far") return { kind: "turn", title: t("{player} is thinking", { player }), text, letter };
  if (mine) return { kind: "turn", title: t("It is your turn"), text: t("You play {player}. Your turn is made on the board far away.", { player }), letter, answers: [["my_turn", t("Choose your turn"), true]] };
  return { kind: "turn", title: t("{player} is choosing far away", { player }), text, letter };
}

function turn(state) {
  const last = state.last_move;
  const first = (state.thirteenth ?? []).includes(state.to_move) ? t("The thirteenth piece comes first: place it on an empty square.") : "";
  const advice = state.looking ? "" : adviceWords(state);
  if (advice) return { kind: "turn", title: t("{player} to move", { player: playerName(state, state.to_move) }), text: advice, letter: letterOf(state.to_move) };
  const text = first || (last ? t("Last turn: {move}", { move: moveWords(last) }) : t("The game begins."));
  return { kind: "turn", title: t("{player} to move", { player: playerName(state, state.to_move) }), text, letter: letterOf(state.to_move), tellsLast: Boolean(last) && !first };
}

/** The computer's last advice for this turn, "" if there is none. */
function adviceWords({ hint, assessment }) {
  if (assessment) return assessmentWords(assessment); // newer than the hint
  if (!hint) return "";
  if (hint.move) return t("Hint: {move}.", { move: moveWords(hint.move) });
  return hint.square ? t("Hint: move the stack on {square}, or a part of it.", { square: hint.square }) : t("Hint: place a piece from the reserve.");
}

/** The answer to "is this good?", "" if there is none. */
function assessmentWords(assessment) {
  if (!assessment) return "";
  const { square, grade } = assessment;
  if (grade === "good") return t("{square} is good: hardly any turn is better.", { square });
  if (grade === "fair") return t("{square} is not bad, but there is something better.", { square });
  return t("Careful with {square}: there is something much better.", { square });
}

export class Status {
  /** `onChoose(move)` is called when one of the candidate turns is chosen; null if nobody can act here. */
  constructor(element, loud, quiet, onChoose) {
    Object.assign(this, { element, loud, quiet, onChoose, spoken: "", asked: "", latest: null, news: [], played: false, timer: 0 });
    // Takes the focus when the focused answer disappears: otherwise the focus would move to the top of the page.
    element.tabIndex = -1;
    this.token = h("div", { class: "status-token" });
    this.title = h("h2", { class: "status-title" });
    this.text = h("p", { class: "status-text" });
    this.turn = h("p", { class: "status-turn" });
    this.answers = h("div", { class: "status-answers" });
    element.append(this.token, h("div", { class: "status-words" }, this.title, this.text), this.turn, this.answers);
  }

  show(state) {
    const now = summary(state);
    this.element.dataset.kind = now.kind;
    this.element.dataset.letter = now.kind === "turn" ? now.letter : "";
    this.title.textContent = bound(now.title);
    this.text.textContent = bound(now.text);
    this.token.replaceChildren(...(now.letter ? [token(now.letter)] : [sign(now.sign ?? now.kind)]));
    // Whose turn it is stays visible whatever else is shown.
    const turn = !NAMES_TURN.has(now.kind) && (state.ply || state.ready) && state.to_move;
    this.turn.replaceChildren(...(turn ? [token(letterOf(state.to_move)), t("{player} to move", { player: playerName(state, state.to_move) })] : []));
    this.ask(now, state);
    this.say(now, state);
  }

  /** Show the buttons; they are replaced only if their content changes, so that a button under the finger stays. */
  ask({ choices = [], answers = [], yes, picked }, state) {
    const key = JSON.stringify([choices, answers, yes, picked, state.game, state.looking]);
    if (key === this.asked) return;
    this.asked = key;
    const focused = this.answers.contains(document.activeElement);
    const turns = picked ? [] : choices.map((move, at) => this.choice(move, String.fromCharCode(65 + at), state, yes));
    const acts = this.onChoose && !state.looking ? answers.map((answer) => this.answer(answer, state)) : [];
    this.answers.replaceChildren(...turns, ...acts);
    if (focused) (this.answers.querySelector("button, a") ?? this.element).focus({ preventScroll: true });
  }

  answer([act, words, main], state) {
    const strong = main ? "answer strong" : "answer";
    if (act === "review") return h("a", { class: "answer", href: `/games/${state.game}#review` }, words);
    return h("button", { type: "button", class: strong, "data-act": act }, words);
  }

  /** A button for a candidate turn: its letter on the board, and the turn, or the words `yes`. */
  choice(move, letter, state, yes) {
    const { origin, target } = parseMove(move);
    const turn = yes ? [yes] : origin ? [`${origin}–${target}`] : [token(letterOf(state.to_move)), target];
    const words = [h("b", {}, letter), ...turn, h("span", { class: "hidden" }, moveWords(move))];
    if (!this.onChoose) return h("span", { class: "choice" }, ...words);
    return h("button", { type: "button", class: "choice", on: { click: () => this.onChoose(move) } }, ...words);
  }

  /** Announce the status to screen readers: alerts at once, anything else after a short delay without events. */
  say(now, state) {
    this.notePly(state);
    this.now = now;
    clearTimeout(this.timer);
    if (LOUD.has(now.kind)) this.flush();
    else this.timer = setTimeout(() => this.flush(), ANNOUNCE_DELAY_MS);
  }

  flush() {
    const { now, news } = this;
    const status = [now.title, now.text].filter(Boolean).map(sentence);
    if (!news.length && status.join(" ") === this.spoken) return;
    this.news = [];
    this.spoken = status.join(" ");
    // A turn that has just been announced is not repeated as the last one.
    const words = [...news, ...(now.tellsLast && this.played ? status.slice(0, 1) : status)].join(" ");
    this.played = false;
    this.loud.textContent = LOUD.has(now.kind) ? words : "";
    this.quiet.textContent = LOUD.has(now.kind) ? "" : words;
  }

  /** Keep what was played, done or taken back since the last state, in words; nothing while an earlier position is shown. */
  notePly(state) {
    const { game, ply, moves = [] } = state;
    if (state.looking || state.event === undefined) return;
    // A position that is set by hand becomes the start of the rules.
    const now = { game, ply, acts: moves.filter((item) => item.act).map((item) => sentence(actWords(state, item))), start: JSON.stringify(state.rules?.start), read: state.start_from };
    const before = this.latest?.game === game ? this.latest : now;
    this.latest = now;
    if (ply !== before.ply) this.played = ply > before.ply;
    if (now.start !== before.start && !before.read) {
      this.news.push(t("The position was corrected."));
      return;
    }
    if (ply < before.ply) this.news.push(tn("{n} turn was taken back.", "{n} turns were taken back.", before.ply - ply));
    else this.news.push(...moves.filter((item) => item.ply > before.ply).map((item) => sentence(playedWords(state, item))));
    this.news.push(...before.acts.slice(now.acts.length).map((what) => t("Taken back: {what}", { what })));
    // Otherwise the result says so.
    if (!state.result) this.news.push(...now.acts.slice(before.acts.length));
  }

  /** Announce something else to screen readers, such as what stands on a square. */
  speak(words) {
    this.quiet.textContent = words;
  }
}

export const sentence = (words) => (/[.?!]$/.test(words) ? words : `${words}.`);

/** A camera, crossed out. */
const unseen = () => s("svg", { viewBox: "0 0 24 24" }, s("path", { d: "M4 8h3l1.5-2h7L17 8h3v10H4z" }), s("circle", { cx: 12, cy: 12.8, r: 2.8 }), s("path", { d: "M4 4l16 17" }));

const sign = (kind) => h("span", { class: "status-sign", "aria-hidden": "true" }, kind === "lost" ? unseen() : ({ alert: "!", fault: "!", "set-up": "⊞", unclear: "?", reply: "→", result: "★" }[kind] ?? "…"));
