// A panel for each player at their side of the board: name, turn, reserve, captures.

import { heap, token } from "../board/pieces.js";
import { LETTERS, SIDES, seatsOf } from "../lib/squares.js";
import { candidates, playersOf } from "./state.js";
import { h } from "../lib/svg.js";
import { t, tn } from "../lib/texts.js";
import { playerName } from "./words.js";

const SIDES_BY_DISTANCE = ["bottom", "right", "left", "top"];

/** A pile with its number; its container has a label for screen readers. */
const pile = (letter, count) => h("span", { class: "pile" }, h("b", { class: count ? "" : "none" }, String(count)), h("span", { class: "heaps" }, ...heap(letter, count)));

/** The pieces in a player's hand: the reserve, or in the drop set-up those still to be placed. */
function inHand(colour, count, placing) {
  const words = placing ? tn("{n} piece to place", "{n} pieces to place", count) : tn("{n} piece in reserve", "{n} pieces in reserve", count);
  return h("span", { class: "piles", role: "img", "aria-label": words }, pile(LETTERS[colour], count));
}

function captures(captured) {
  const counts = Object.entries(captured ?? {}).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const piles = counts.length ? counts.map(([colour, count]) => pile(LETTERS[colour], count)) : [pile("", 0)];
  return h("span", { class: "piles", role: "img", "aria-label": tn("{n} piece captured", "{n} pieces captured", total) }, ...piles);
}

/** The progress towards winning a fast game. */
function progress(state, colour) {
  const rules = state.rules ?? {};
  if (!rules.fast) return null;
  const counts = Object.values(state.captured?.[colour] ?? {});
  const done = counts.length === 1 ? counts[0] : counts.filter((count) => count >= rules.fast_each).length;
  const all = counts.length === 1 ? rules.fast_each : counts.length;
  return all ? h("span", { class: "goal" }, `${done}/${all}`) : null;
}

function turnWords(state) {
  if (candidates(state)) return t("turn in doubt");
  return state.ply || state.ready ? t("to move") : t("begins");
}

function panel(state, colour) {
  const turn = state.to_move === colour;
  const out = (state.out ?? []).includes(colour);
  const placing = state.placing?.[colour];
  const name = playerName(state, colour);
  const note = out ? t("out") : placing ? tn("{n} piece to place", "{n} pieces to place", placing) : turn ? turnWords(state) : "";
  const clock = state.clock ? h("span", { class: "clock", role: "timer", "aria-label": t("Clock of {player}", { player: name }), "data-clock": colour }) : null;
  return h(
    "section",
    { class: "player", "data-colour": colour, "data-turn": turn, "data-out": out, "aria-label": name },
    token(LETTERS[colour], "big"),
    h("div", { class: "who" }, h("strong", { class: "name" }, name), h("span", { class: "note" }, note)),
    clock,
    h("dl", {}, h("div", {}, h("dt", {}, state.placing ? t("To place") : t("Reserve")), h("dd", {}, inHand(colour, (state.placing ?? state.reserves)?.[colour] ?? 0, state.placing))), h("div", {}, h("dt", {}, t("Captured")), h("dd", {}, captures(state.captured?.[colour]), progress(state, colour)))),
  );
}

/** The side of the panel of each player, as seen with seat `turn` nearest. */
function sidesOf(players, seats, turn) {
  const sides = Object.fromEntries(players.map((colour) => [colour, SIDES[(seats[colour] - turn + 4) % 4]]));
  if (players.length !== 2) return sides;
  // Two panels are always above and below the board, the nearer player's below.
  const [near, far] = [...players].sort((a, b) => SIDES_BY_DISTANCE.indexOf(sides[a]) - SIDES_BY_DISTANCE.indexOf(sides[b]));
  return { [near]: "bottom", [far]: "top" };
}

/** Put the panels at the players' sides, as seen with seat `turn` nearest. */
export function showPlayers(table, state, turn) {
  const players = playersOf(state);
  const sides = sidesOf(players, seatsOf(players, state.players), turn);
  table.dataset.players = players.length;
  // Three players leave one side free, usually the far one; otherwise the style sheet needs to know which.
  const free = players.length === 3 && SIDES.find((side) => !Object.values(sides).includes(side));
  if (free && free !== "top") table.dataset.free = free;
  else delete table.dataset.free;
  for (const side of SIDES) table.querySelector(`.seat.${side}`).replaceChildren();
  for (const colour of players) table.querySelector(`.seat.${sides[colour]}`).append(panel(state, colour));
}
