// After the game: a chart of everybody’s chances by turn, which can be clicked, and the turns with the largest swings.

import { hintWords } from "./hints.js";
import { token } from "../board/pieces.js";
import { playersOf } from "./state.js";
import { LETTERS } from "../lib/squares.js";
import { h, s } from "../lib/svg.js";
import { percent, t } from "../lib/texts.js";
import { moveWords, playerName } from "./words.js";

const POLL_MS = 1500;
const WIDTH = 300; // of the chart, in drawing units
const HEIGHT = 90;
/** Lost chance above which a better turn is named. */
const MIN_MISSED = 0.02;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The review once it is made, or {error}: the host ends one that takes too long. Meanwhile, `say(text)` shows why it is
 *  not there yet; a phone that slept goes on waiting. */
async function made(game, say) {
  for (;;) {
    const answer = await fetch(`/api/games/${game}/review`, { cache: "no-store" }).catch((problem) => console.info(problem.message));
    if (answer && answer.status !== 202) return answer.json();
    say(answer ? t("The game is being analysed …") : t("The host does not answer. Try again when the page is live."));
    await wait(POLL_MS);
  }
}

function line(turns, colour) {
  const step = WIDTH / Math.max(1, turns.length - 1);
  const points = turns.map((turn, at) => `${(at * step).toFixed(1)},${(HEIGHT - 4 - turn.chances[colour] * (HEIGHT - 8)).toFixed(1)}`);
  return s("polyline", { class: `chance ${colour}`, points: points.join(" ") });
}

function swing(state, turn, onPick) {
  const name = playerName(state, turn.player);
  const values = { player: name, move: moveWords(turn.move), before: percent(turn.before), after: percent(turn.outlook), best: moveWords(turn.best.move) };
  const what = t("{player}, {move}: the chance went from {before} to {after}.", values);
  const better = turn.missed > MIN_MISSED ? t("Better was {best}.", values) : "";
  return h("li", {}, h("button", { type: "button", on: { click: () => onPick(turn.ply) } }, h("span", { class: "ply" }, String(turn.ply)), token(LETTERS[turn.player]), h("span", {}, [what, better, ...(turn.hints ?? []).map(hintWords)].filter(Boolean).join(" "))));
}

/** Fill the card for a finished game; `replay` shows its turns. */
export async function showReview(card, game, replay) {
  const { state } = game;
  if (!card || !state.result || !state.ply) return;
  card.hidden = false;
  const places = card.querySelector("ol");
  const say = (text) => places.replaceChildren(h("li", { class: "note" }, text));
  say(t("The game is being analysed …"));
  const review = await made(game.id, say);
  if (review.error) {
    say(review.error);
    return;
  }
  if (!review.turns.length) {
    card.hidden = true;
    return;
  }
  drawReview(card, state, review, replay);
}

/** Draw everybody's chances as lines that act as a slider, and the biggest swings as buttons. */
export function drawReview(card, state, review, replay) {
  const drawing = card.querySelector(".chances");
  const { turns } = review;
  const colours = playersOf(state);
  const place = (at) => (at * WIDTH) / Math.max(1, turns.length - 1);
  const upright = (at, kind) => s("line", { x1: place(at), x2: place(at), y1: 0, y2: HEIGHT, class: kind });
  const swings = review.swings.map((ply) => turns.findIndex((turn) => turn.ply === ply));
  const here = upright(0, "here");
  drawing.replaceChildren(s("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "even" }), ...swings.map((at) => upright(at, "swung")), ...colours.map((colour) => line(turns, colour)), here);
  drawing.setAttribute("aria-valuemin", turns[0].ply);
  drawing.setAttribute("aria-valuemax", turns.at(-1).ply);

  replay.onPly = (ply) => {
    const at = Math.max(0, turns.findLastIndex((turn) => turn.ply <= ply));
    const chances = colours.map((colour) => `${playerName(state, colour)} ${percent(turns[at].chances[colour])}`);
    const words = t("Turn {ply}: {chances}", { ply: turns[at].ply, chances: chances.join(", ") });
    for (const end of ["x1", "x2"]) here.setAttribute(end, place(at));
    drawing.setAttribute("aria-valuenow", turns[at].ply);
    drawing.setAttribute("aria-valuetext", words);
    card.querySelector(".at").textContent = words;
  };
  const go = (event) => {
    const box = drawing.getBoundingClientRect();
    const at = Math.round(((event.clientX - box.left) / box.width) * (turns.length - 1));
    replay.halt();
    replay.go(turns[Math.min(turns.length - 1, Math.max(0, at))].ply);
  };
  drawing.addEventListener("pointerdown", (event) => {
    drawing.setPointerCapture(event.pointerId);
    go(event);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (drawing.hasPointerCapture(event.pointerId)) go(event);
  });
  card.querySelector("ol").replaceChildren(...swings.map((at) => swing(state, turns[at], (ply) => replay.go(ply))));
  replay.update();
}
