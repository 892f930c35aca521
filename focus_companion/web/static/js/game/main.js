// The game's page: connects the state, the board, the texts and the buttons.

import { ghostOf, undoing } from "./alerts.js";
import { Board } from "../board/board.js";
import { bring } from "../lib/bring.js";
import { Clocks } from "./clock.js";
import { Link } from "./link.js";
import { shadeOf, takeLooks } from "../board/names.js";
import { repaint, sprite } from "../board/pieces.js";
import { showPlayers } from "./players.js";
import { pref, setPref, tie } from "../lib/prefs.js";
import { SetUp } from "./setup.js";
import { offered, passOver, swap, taken } from "./reading.js";
import { raised, stacksOf } from "../lib/squares.js";
import { candidates, differing, handsFirst, phase, possible } from "./state.js";
import { Status, summary } from "./status.js";
import { loadTexts, moment, t, tn } from "../lib/texts.js";
import { toast } from "../lib/toast.js";
import { letterOf, playerName, refusalText } from "./words.js";

const $ = (selector) => document.querySelector(selector);
const past = document.body.dataset.game;
const watched = document.body.dataset.show === "table"; // a screen beside the table, without controls
const table = $(".table");
const CAMERA_CHECK_MS = 5000; // between two checks whether a camera has been plugged in

let live = null; // the newest state
let shown = null; // what the page shows: the live state or an older position
let connection = "connecting";
let asked = null; // the promise of what is loaded after the first view
let tools = null; // what was loaded
let denied = null; // the alert to which this viewer answered that nobody else begins

document.body.prepend(sprite());
await loadTexts(document.body.dataset.texts);

const info = $("#square-info");
const board = new Board($("#board"), (square, words) => {
  if (words && words !== info.textContent) status.speak(words);
  info.textContent = words || info.dataset.hint;
  if (tools?.editor?.active && square) tools.editor.selectSquare(square);
});
const clocks = new Clocks(table);
const setUp = $("#setup") ? new SetUp($("#setup"), $("#mount")) : null;
const choose = (move) => withTools(({ acts }) => (acts.chooser.active ? acts.chooser.pick(move) : acts.sendAt(live, { act: "choose", move })));
const status = new Status($("#status"), $("#loud"), $("#quiet"), past || watched ? null : choose);
if (!past && !watched) board.onLetter = choose;

/** Load what the first view does not need, right after it, and again if the host was not reached. */
function later() {
  asked ??= bring().then(equip);
  asked.catch(() => (asked = null));
  return asked;
}

function equip(made) {
  const now = () => live ?? {};
  const speech = past ? null : new made.Speech($("#spoken"), now, watched ? null : choose, toast);
  if (watched) {
    made.keepAwake();
    tools = { ...made, speech };
    return tools;
  }
  const replay = new made.Replay($("#replay"), (position) => show(position && { ...live, ...position }), toast);
  tools = { ...made, replay, speech, moves: new made.Moves($("#moves"), $("#no-moves"), (ply) => replay.go(ply)) };
  new made.Share($("#share"), now, toast);
  made.saving(toast);
  if (!past) {
    const acts = new made.Acts(now, toast, () => replay.ply, choosing);
    const send = (body, address) => acts.send(body, address);
    Object.assign(tools, {
      acts,
      camera: new made.Camera($("#picture"), $("#no-picture"), $("#overlay")),
      corners: new made.Corners($("#corners"), now, send),
      editor: new made.Editor($("#editor"), () => show(null), acts, now),
      match: new made.Match($("#match")),
      report: new made.Report($("#report"), now, toast),
      roles: new made.Roles($("#roles"), (state, colours) => acts.swap(state, colours)),
      seats: new made.Seats($("#seats"), now, send),
      newGame: new made.NewGame($("#new-game"), acts, now),
    });
  }
  if (live) fill(live);
  return tools;
}

/** Do something with the tools; reports a host that does not answer. */
async function withTools(act) {
  try {
    return await act(await later());
  } catch (problem) {
    console.info(problem.message);
    return toast(t("The host does not answer. Try again when the page is live."));
  }
}

/** Update what needs the tools: the turns, the replay, the score. */
function fill(state) {
  tools.replay.follow(state);
  tools.moves.show(state);
  tools.acts?.chooser.follow(state);
  tools.editor?.follow(state);
  tools.acts?.follow(state);
  tools.acts?.offer(state);
  tools.seats?.follow(state);
  tools.roles?.show(state);
  tools.match?.follow(state).catch((problem) => console.info(problem.message));
}

/** Begin or end choosing a turn on the board. */
function choosing() {
  const { chooser } = tools.acts;
  if (chooser.active && !board.picker) scrollTo(0, 0);
  board.picker = chooser.active ? (square) => chooser.touch(square) : null;
  board.selected = null;
  if (chooser.active && tools.replay.ply !== null) tools.replay.live();
  else show(null);
}

/** Redraw the live state, or the past position that is looked at. */
const again = () => show((tools?.replay?.ply ?? null) === null ? null : shown);

const side = () => Number(pref("turn")) % 4;

/** The marks on the live position: see marks.js. `asking`: what the viewer is asked on the board, or null. */
function liveMarks(state, asking) {
  const { alert, assessment, hint, position, prompt, reply } = state;
  const differ = differing(state);
  const next = differ?.[0]; // while a board is set up, the square to be corrected next
  const marks = { last: state.last_move, wrong: alert?.squares, differ };
  if (asking) return { ...marks, candidates: asking.choices, selected: asking.origin };
  if (alert) return { ...marks, prompt, undo: undoing(alert), ghost: ghostOf(alert, position) };
  return {
    ...marks,
    prompt,
    candidates: candidates(state),
    asked: prompt ? null : next ? `*${next}` : (reply ?? hint)?.move,
    mover: (next && stacksOf(position)[next].at(-1)) || letterOf(state.to_move),
    hinted: assessment?.square ?? (hint?.step === 1 ? hint.square : null),
  };
}

function show(older) {
  shown = older ?? live;
  if (!shown) return;
  const now = !older;
  document.body.dataset.looking = now ? "now" : "back";
  board.setView(pref("view"), side());
  table.dataset.view = pref("view");
  board.guides = !tools?.editor?.active;
  if (!board.guides) {
    board.show(tools.editor.position, undefined, { differ: tools.editor.doubtful });
    return;
  }
  const reading = now && !tools?.acts?.chooser.active ? offered(shown) : null;
  if (reading) {
    board.show(reading.position, undefined, { differ: reading.doubtful });
    showPlayers(table, shown, side());
    return status.show({ ...live, watched });
  }
  const asking = (now && tools?.acts?.chooser.view) || null;
  const position = now && shown.prompt?.move && !asking ? raised(shown.position, shown.prompt.move, letterOf(shown.to_move)) : shown.position;
  board.show(position, handsFirst(shown), now ? liveMarks(shown, asking) : { last: shown.move });
  showPlayers(table, now ? shown : { ...shown, clock: null }, side());
  clocks.show(now ? shown.clock : null);
  tools?.moves?.mark(now ? null : shown.ply);
  if (now) status.show({ ...live, asking, watched });
  else status.show({ ...shown, looking: true, ready: true, alert: null, prompt: null, unclear: null, set_up: null, camera: "ok", paused: false, last_move: shown.move, moves: [] });
}

/** Identifies an alert. */
const about = ({ game, alert }) => alert && `${game} ${alert.time}`;

/** The viewer's answer to a position that the camera has read. */
function answered(act) {
  const reading = offered(live);
  if (!reading) return undefined;
  if (act === "take_reading") return tools.acts.answer(live, "reading", taken(reading));
  if (act === "edit_reading") return tools.editor.open(live, reading);
  if (act === "swap_reading") swap(live);
  else passOver(live);
  return take(live);
}

/** "No" to the question who begins: the alert remains, with the usual answers. */
function deny() {
  denied = about(live);
  take(live);
}

const CALLS = new Set(["alert", "lost", "prompt", "reply", "result", "set-up", "unclear"]);

/** What the people at the table have to do, answer or know now, "" if nothing. */
function call(state) {
  const { kind, title, text } = summary(state);
  return CALLS.has(kind) ? `${title} ${text}` : "";
}

function take(state) {
  if (state.begins && about(state) === denied) return take({ ...state, begins: null });
  // The program was restarted with a camera: another journal, other games.
  if (live && !past && Boolean(live.demo) !== Boolean(state.demo)) return location.reload();
  offer(live?.camera_found, state);
  $("#phone")?.toggleAttribute("hidden", !["starting", "lost"].includes(state.camera));
  if (live && live.game !== state.game) board.selected = null;
  // The names and shades of the pieces come from the set's profile.
  if (takeLooks(state.pieces)) repaint(shadeOf);
  const called = live && call(live);
  live = state;
  document.body.dataset.seat = state.seat ?? "";
  const begun = state.position !== undefined && state.position !== null;
  // Also while past positions, which have no clock, are shown, so that the board keeps its size.
  table.toggleAttribute("data-timed", Boolean(state.clock) && !past);
  if (tools && !watched) fill(state);
  tools?.speech?.notice(state);
  // An earlier position hides it.
  if (!past && (tools?.replay?.ply ?? null) !== null && call(state) && call(state) !== called) tools.replay.live();
  if (begun) again();
  else status.show(state);
  document.body.dataset.phase = phase(state);
  lamp();
  for (const link of document.querySelectorAll("[data-export]")) link.href = `/api/games/${state.game}/export?format=${link.dataset.export}`;
  const pause = $('[data-act="pause"]');
  if (pause) pause.textContent = state.paused ? t("Go on") : t("Pause");
  const can = possible(state);
  // The button that was just pressed may be disabled now. Some browsers take the focus from it at once.
  const focused = document.activeElement;
  for (const button of document.querySelectorAll(".acts [data-act]")) button.disabled = can[button.dataset.act] === false;
  if (focused?.matches(":disabled")) status.element.focus({ preventScroll: true });
  setUp?.show(state);
  const watching = $("#watching");
  if (watching && state.watching !== undefined) {
    watching.hidden = state.watching < 2;
    watching.textContent = tn("{n} viewer", "{n} viewers", state.watching);
  }
  if (!past) document.title = `${summary(state).title} · Focus Companion`;
  document.body.dataset.ready = "";
  if (state.event !== undefined) document.body.dataset.event = state.event;
}

/** Show the state of the connection to the host, and whether the host sees the board. */
function lamp() {
  const here = connection === "live" || connection === "polling";
  const kind = here && live && summary(live).kind === "lost" ? "blind" : connection;
  const words = { connecting: t("Connecting"), live: t("Live"), polling: t("Live, every 5 s"), off: t("Host unreachable"), blind: t("Board not seen") };
  $("#line").dataset.line = kind;
  $("#line").textContent = words[kind];
}

/** Offer a camera that was plugged in while the demo stands in for one. */
function offer(before, { demo, camera_found: found, camera_free: free, newer }) {
  if (past || watched) return; // no bar, or no camera
  $("#newer").hidden = !newer;
  if (newer) $("#newer").textContent = t("Version {version} is installed. It runs after the next start of the program.", { version: newer });
  $("#demo").hidden = !demo;
  $("#use-camera").hidden = !found;
  $("#cameras").hidden = !demo || !free;
  $("#other-camera").hidden = Boolean(demo) || !free;
  $("#usb").disabled = !found;
  $("#usb-words").textContent = found ? t("A camera is plugged in.") : t("Plug it in now. The button can be pressed when it is found.");
  // The camera that most people have at hand comes first.
  $("#cameras ul").dataset.first = found ? "usb" : "phone";
  if (found && !before) toast(t("A camera has been plugged in. “Use camera” switches to it."));
}

function line(kind) {
  connection = kind;
  lamp();
  // If the host was not reached, what is loaded after the first view may still be missing.
  if (kind === "live" || kind === "polling") later().catch((problem) => console.info(problem.message));
}

$("#camera-address")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const address = event.target.elements.address.value.trim();
  withTools(({ acts }) => acts.useCamera(address));
});

if (!watched) {
  tie($("#settings"), (name) => {
    again();
    if (name === "sound") withTools(({ sample, speech }) => {
      sample();
      speech?.follow();
      if (speech?.on) speech.ask("turn");
    });
  });
  $("#back-to-now").addEventListener("click", () => tools?.replay.live());
  $("#rotate").addEventListener("click", () => {
    setPref("turn", String((side() + 1) % 4));
    again();
  });
}
document.addEventListener("click", (event) => {
  const act = event.target.closest("[data-act]")?.dataset.act;
  if (!act) return;
  withTools(({ acts, corners, editor, newGame, replay, report }) => {
    if (!act.startsWith("turn_") && acts.chooser.active) acts.chooser.close();
    if (act === "new_game") return newGame.open();
    if (act === "place") return corners.open();
    if (act === "report") return report.open();
    if (act === "camera") return acts.useCamera();
    if (act === "camera_phone") return acts.useCamera("phone");
    if (act === "camera_other") return acts.useCamera("demo");
    if (act === "begins_not") return deny();
    if (act.endsWith("_reading")) return answered(act);
    if (act !== "edit") return acts.run(act, board.selected);
    replay.live();
    return editor.open(live);
  });
});

if (past) {
  line("off");
  $("#line").hidden = true;
  board.build();
  for (const time of document.querySelectorAll("time")) time.textContent = moment(time.dateTime);
  const answer = await fetch(`/api/games/${past}`);
  if (answer.ok) {
    const game = await answer.json();
    take({ ...game.state, camera: "ok", ready: true, alert: null, prompt: null, unclear: null, set_up: null, paused: false });
    // Not awaited: later.js imports modules from this script, which must have finished by then.
    withTools(({ replay, showReview }) => {
      replay.positions = game.positions;
      return showReview($("#review"), game, replay);
    });
  } else toast(t("There is no such game in the journal."));
} else {
  const link = new Link((state, event) => {
    take(state);
    if (event?.type === "refused") withTools(({ acts }) => acts?.refused(refusalText(event)));
    else if (event) {
      // An event that arrives while the tools are still loading is heard as soon as they are there.
      later().then(({ sound, celebrate }) => {
        sound(event.type);
        if (event.type === "result" && event.winners?.length) celebrate(event.winners.map(letterOf));
      }).catch((problem) => console.info(problem.message));
      tools?.camera?.refresh();
      if (event.type === "time_up") toast(t("{player}: the time is up.", { player: playerName(state, event.player) }));
    }
  }, line);
  setInterval(() => live?.demo && link.check(), CAMERA_CHECK_MS);
  link.sync().then(later).catch((problem) => console.info(problem.message));
}
