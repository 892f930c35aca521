// A game as a self-contained HTML file, which makes no requests.

import { Board } from "../board/board.js";
import { Moves } from "./moves.js";
import { sprite } from "../board/pieces.js";
import { showPlayers } from "./players.js";
import { pref, setPref, tie } from "../lib/prefs.js";
import { Replay } from "./replay.js";
import { drawReview } from "./review.js";
import { handsFirst, playersOf } from "./state.js";
import { Status } from "./status.js";
import { h } from "../lib/svg.js";
import { addTexts, date, t, tn } from "../lib/texts.js";
import { alertText, alertTitle, playerName, resultText } from "./words.js";

const $ = (selector) => document.querySelector(selector);
const { game, stills, texts } = JSON.parse($("#story-data").textContent);
const last = game.state;

addTexts(texts);
document.body.prepend(sprite());

let shown = null; // an older position, or null for the end of the game
let looked = null; // the alert whose squares are shown

function noteWords(note) {
  if (note.kind === "alert") return alertText(last, note) || alertTitle(note.reason);
  if (note.kind === "taken_back") return tn("{n} turn was taken back.", "{n} turns were taken back.", note.turns);
  if (note.kind === "corrected") return t("The position was put right by hand.");
  if (note.kind === "ruling") return note.legal ? t("The players ruled that the turn was legal.") : t("The players ruled that the turn was not legal.");
  return note.text;
}

const notes = game.notes.map((note) => ({ ...note, note: noteWords(note) }));

/** The turns and acts with the notes in between, in the order of the list. */
function items() {
  const listed = notes.filter((note) => note.after === 0);
  for (const item of last.moves) {
    listed.push(item);
    if (item.move) listed.push(...notes.filter((note) => note.after === item.ply));
  }
  return listed;
}

const info = $("#square-info");
const board = new Board($("#board"), (square, words) => (info.textContent = words || info.dataset.hint));
const status = new Status($("#status"), $("#loud"), $("#quiet"), () => {});
const side = () => Number(pref("turn")) % 4;

function show() {
  const at = shown ?? { ...last, move: last.last_move };
  const state = { ...last, ...at, alert: null, prompt: null, unclear: null, set_up: null, last_move: at.move, ready: true };
  const here = notes.filter((note) => note.after === at.ply);
  document.body.dataset.ply = at.ply;
  board.setView(pref("view"), side());
  $(".table").dataset.view = pref("view");
  board.show(at.position, handsFirst(at), { last: at.move, wrong: looked?.squares });
  showPlayers($(".table"), { ...state, clock: null }, side());
  status.show(shown ? { ...state, result: at.result } : state);
  moves.mark(at.ply);
  const picture = $("#still img");
  if (picture) {
    picture.hidden = !(at.ply in stills);
    if (!picture.hidden) picture.src = stills[at.ply];
  }
  $("#notes").hidden = !here.length;
  $("#notes ul").replaceChildren(...here.map((note) => h("li", { class: note.kind }, note.note)));
}

const replay = new Replay($("#replay"), (position) => {
  looked = null;
  shown = position;
  show();
});
const moves = new Moves($("#moves"), $("#no-moves"), (ply, note) => {
  replay.halt();
  replay.go(ply).then(() => {
    looked = note?.kind === "alert" ? note : null;
    if (looked) show();
  });
});

document.addEventListener("keydown", (event) => {
  // The key keeps its meaning in controls and on the board.
  if (event.key !== " " || event.target.closest("button, input, select, summary, a, [role=grid]")) return;
  event.preventDefault();
  replay.play();
});
tie($("#settings"), show);
$("#rotate").addEventListener("click", () => {
  setPref("turn", String((side() + 1) % 4));
  show();
});

$("#names").textContent = playersOf(last).map((colour) => playerName(last, colour)).join(" – ");
$("#facts").textContent = [last.date && date(last.date), tn("{n} turn", "{n} turns", last.ply), last.result ? resultText(last, last.result) : t("not finished")].filter(Boolean).join(" · ");
replay.positions = game.positions;
replay.game = last.game;
replay.follow(last);
moves.show({ ...last, moves: items() });
if (game.review) {
  drawReview($("#review"), last, game.review, replay);
  $("#review").hidden = false;
}
await replay.go(0);
document.body.dataset.ready = "";
