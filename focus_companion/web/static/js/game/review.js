// After the game: everybody's chances turn by turn as a drawing, and the turns that swung them most.

import { hintWords } from "./hints.js";
import { token } from "../board/pieces.js";
import { playersOf } from "./state.js";
import { LETTERS } from "../lib/squares.js";
import { h, s } from "../lib/svg.js";
import { percent, t } from "../lib/texts.js";
import { moveWords, playerName } from "./words.js";

const ASK_MS = 1500;
const TRIES = 120;
const [WIDE, HIGH] = [300, 90];

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function made(game) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await fetch(`/api/games/${game}/review`, { cache: "no-store" });
    if (answer.status !== 202) return answer.ok ? answer.json() : null;
    await wait(ASK_MS);
  }
  return null;
}

function line(turns, colour) {
  const step = WIDE / Math.max(1, turns.length - 1);
  const points = turns.map((turn, at) => `${(at * step).toFixed(1)},${(HIGH - 4 - turn.chances[colour] * (HIGH - 8)).toFixed(1)}`);
  return s("polyline", { class: `chance ${colour}`, points: points.join(" ") });
}

function swing(state, turn, onPick) {
  const name = playerName(state, turn.player);
  const values = { player: name, move: moveWords(turn.move), before: percent(turn.before), after: percent(turn.outlook), best: moveWords(turn.best.move) };
  const what = t("{player}, {move}: the chance went from {before} to {after}.", values);
  const better = turn.missed > 0.02 ? t("Better was {best}.", values) : "";
  return h("li", {}, h("button", { type: "button", on: { click: () => onPick(turn.ply) } }, h("span", { class: "ply" }, String(turn.ply)), token(LETTERS[turn.player]), h("span", {}, [what, better, ...(turn.hints ?? []).map(hintWords)].filter(Boolean).join(" "))));
}

/** Fill the card for a finished game; `onPick(ply)` when a turn is to be looked at. */
export async function showReview(card, game, onPick) {
  const { state } = game;
  if (!card || !state.result || !state.ply) return;
  card.hidden = false;
  const places = card.querySelector("ol");
  places.replaceChildren(h("li", { class: "note" }, t("The game is being looked at …")));
  const review = await made(game.id);
  if (!review?.turns.length) {
    card.hidden = true;
    return;
  }
  drawReview(card, state, review, onPick);
}

/** Everybody's chances as lines, and the biggest swings as buttons. */
export function drawReview(card, state, review, onPick) {
  const middle = s("line", { x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2, class: "even" });
  card.querySelector(".chances").replaceChildren(middle, ...playersOf(state).map((colour) => line(review.turns, colour)));
  const turns = review.swings.map((ply) => review.turns.find((turn) => turn.ply === ply));
  card.querySelector("ol").replaceChildren(...turns.map((turn) => swing(state, turn, onPick)));
}
