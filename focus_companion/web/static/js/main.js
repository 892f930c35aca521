// The game's page: brings the state, the board, the words and the buttons together.

import { Acts } from "./acts.js";
import { undoing } from "./alerts.js";
import { Board } from "./board.js";
import { Camera } from "./camera.js";
import { Clocks } from "./clock.js";
import { Link } from "./link.js";
import { Moves } from "./moves.js";
import { sprite } from "./pieces.js";
import { showPlayers } from "./players.js";
import { pref, setPref, tie } from "./prefs.js";
import { Replay } from "./replay.js";
import { SetUp } from "./setup.js";
import { sample, sound } from "./sound.js";
import { raised } from "./squares.js";
import { candidates, differing, handsFirst, possible } from "./state.js";
import { Status, summary } from "./status.js";
import { loadTexts, t, tn } from "./texts.js";
import { letterOf, refusalText } from "./words.js";

const $ = (selector) => document.querySelector(selector);
const past = document.body.dataset.game;
const table = $(".table");

let live = null; // the newest state
let shown = null; // what the page shows: the live state or an older position
let toastTimer = 0;
let tools = null; // what later.js brings, once it is asked for
let editor = null;
let match = null;

document.body.prepend(sprite());
await loadTexts(document.body.dataset.texts);

function toast(text) {
  const box = $("#toast");
  // Over a dialog nothing shows but what lies in it.
  (document.querySelector("dialog[open]") ?? document.body).append(box);
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (box.hidden = true), 6000);
}

const acts = new Acts(() => live ?? {}, toast, () => replay.ply);
const info = $("#square-info");
const board = new Board($("#board"), (square, words) => {
  info.textContent = words || info.dataset.hint;
  if (editor?.active && square) editor.look(square);
});
const clocks = new Clocks(table);
const setUp = $("#setup") ? new SetUp($("#setup"), $("#mount")) : null;
const status = new Status($("#status"), $("#loud"), $("#quiet"), (move) => acts.send({ act: "choose", move }));
const replay = new Replay($("#replay"), (position) => show(position && { ...live, ...position }));
const moves = new Moves($("#moves"), $("#no-moves"), (ply) => replay.go(ply));
const camera = $("#picture") ? new Camera($("#picture"), $("#no-picture"), $("#overlay")) : null;

/** The dialogs and all else that a first view does without; asked for as soon as the page stands. */
function later() {
  tools ??= import("./later.js").then(({ later: made }) => {
    const send = (body) => acts.send(body);
    const now = () => live ?? {};
    if (past) return made;
    editor = new made.Editor($("#editor"), () => show(null), send);
    match = new made.Match($("#match"));
    follow();
    return { newGame: new made.NewGame($("#new-game"), acts, now), corners: new made.Corners($("#corners"), now, send), editor };
  });
  // Asked for again where the host was away.
  tools.catch(() => (tools = null));
  return tools;
}

const follow = () => match?.follow(live).catch((problem) => console.info(problem.message));

const side = () => Number(pref("turn")) % 4;

function show(older) {
  shown = older ?? live;
  if (!shown) return;
  const now = !older;
  document.body.dataset.looking = now ? "now" : "back";
  board.look(pref("view"), side());
  table.dataset.view = pref("view");
  board.guides = !editor?.active;
  if (editor?.active) {
    board.show(editor.position);
    board.mark({});
    return;
  }
  board.show(now && shown.prompt?.move ? raised(shown.position, shown.prompt.move, letterOf(shown.to_move)) : shown.position, handsFirst(shown));
  board.mark({
    last: now ? shown.last_move : shown.move,
    wrong: now ? shown.alert?.squares : null,
    undo: now ? undoing(shown.alert) : null,
    differ: now ? differing(shown) : null,
    prompt: now ? shown.prompt : null,
    candidates: now && !shown.alert ? candidates(shown) : null,
  });
  showPlayers(table, now ? shown : { ...shown, clock: null }, side());
  clocks.show(now ? shown.clock : null);
  moves.mark(now ? null : shown.ply);
  if (now) status.show(live);
  else status.show({ ...shown, alert: null, prompt: null, unclear: null, set_up: null, camera: "ok", paused: false, last_move: shown.move, moves: [] });
}

function take(state) {
  live = state;
  const begun = state.position !== undefined && state.position !== null;
  // Also while older positions are looked at, which have no clock: the board keeps its size.
  table.toggleAttribute("data-timed", Boolean(state.clock) && !past);
  replay.follow(state.game, state.ply ?? 0);
  moves.show(state);
  if (begun) show(replay.ply === null ? null : shown);
  else status.show(state);
  document.body.dataset.over = Boolean(state.result);
  for (const link of document.querySelectorAll("[data-export]")) link.href = `/api/games/${state.game}/export?format=${link.dataset.export}`;
  const pause = $('[data-act="pause"]');
  if (pause) pause.textContent = state.paused ? t("Go on") : t("Pause");
  const when = { alert: Boolean(state.alert), over: Boolean(state.result) };
  for (const button of document.querySelectorAll("[data-when]")) button.hidden = !when[button.dataset.when];
  const can = possible(state);
  for (const button of document.querySelectorAll(".acts [data-act]")) button.disabled = can[button.dataset.act] === false;
  setUp?.show(state);
  const watching = $("#watching");
  if (watching && state.watching !== undefined) {
    watching.hidden = state.watching < 2;
    watching.textContent = tn("{n} watches", "{n} watch", state.watching);
  }
  follow();
  document.title = `${summary(state).title} · Focus Companion`;
  document.body.dataset.ready = "";
  if (state.event !== undefined) document.body.dataset.event = state.event;
}

function line(kind) {
  const words = { connecting: t("Connecting"), live: t("Live"), polling: t("Live, every 5 s"), off: t("Host not reached") };
  const lamp = $("#line");
  lamp.dataset.line = kind;
  lamp.textContent = words[kind];
}

tie($("#settings"), (name) => {
  show(replay.ply === null ? null : shown);
  if (name === "sound" && live) sample(summary(live).title);
});
$("#back-to-now").addEventListener("click", () => replay.live());
$("#rotate").addEventListener("click", () => {
  setPref("turn", String((side() + 1) % 4));
  show(replay.ply === null ? null : shown);
});
document.addEventListener("click", async (event) => {
  const act = event.target.closest("[data-act]")?.dataset.act;
  if (!act) return;
  try {
    if (act === "new_game") (await later()).newGame.open();
    else if (act === "place") await (await later()).corners.open();
    else if (act === "edit") {
      replay.live();
      (await later()).editor.open(live);
    } else await acts.run(act);
  } catch (problem) {
    console.info(problem.message);
    toast(t("The host does not answer. Try again when the page is live."));
  }
});

if (past) {
  line("off");
  $("#line").hidden = true;
  const answer = await fetch(`/api/games/${past}`);
  if (answer.ok) {
    const game = await answer.json();
    take({ ...game.state, camera: "ok", alert: null, prompt: null, unclear: null, set_up: null, paused: false });
    replay.positions = game.positions;
    // Not waited for: later.js takes modules from this script, which must have come to its end by then.
    later().then(({ showReview }) => showReview($("#review"), game, (ply) => replay.go(ply)));
  } else toast(t("There is no such game in the journal."));
} else {
  const link = new Link((state, event) => {
    take(state);
    if (event?.type === "refused") toast(refusalText(event));
    else if (event) {
      const { title, text } = summary(state);
      sound(event.type, [title, text].filter(Boolean).join(". "));
      camera?.refresh();
    }
  }, line);
  link.sync().then(later).catch((problem) => console.info(problem.message));
}
