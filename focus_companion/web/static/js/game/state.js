// What the page reads out of the state, which the host tells.

import { LETTERS } from "../lib/squares.js";

/** The state that an event brings: what it does not tell stays, and of the list of moves only the end has changed. */
export function after(state, told) {
  const { keep, add } = told.moves;
  return { ...state, ...told, moves: [...(state.moves ?? []).slice(0, keep), ...add] };
}

/** The players in turn order. */
export const playersOf = (state) => state.order ?? state.rules?.order ?? Object.keys(state.reserves ?? {});

/** Letters of the players who must place a piece before any stack of theirs may move. */
export function handsFirst(state) {
  const placing = Object.entries(state.placing ?? {}).filter(([, left]) => left > 0);
  return new Set([...(state.thirteenth ?? []), ...placing.map(([colour]) => colour)].map((colour) => LETTERS[colour]));
}

/** The kind of seat of the player to move, without its level: "board", "companion", "far", "engine". */
export const moverKind = (state) => (state.seats?.[state.to_move] ?? "board").split(":")[0];

/** Squares at which the board differs from the start or the game, or null. */
export function differing(state) {
  return state.set_up?.length ? state.set_up : null;
}

/** The turns among which the players must choose, or null. */
export function candidates(state) {
  return state.unclear?.length ? state.unclear : null;
}

/** Before the first turn can be played, in the game, or after it: "before", "play", "over". */
export const phase = (state) => (state.result ? "over" : state.ply || state.ready || state.paused ? "play" : "before");

/** Which acts can do something now, by name; the others do not depend on how the game stands. */
export function possible(state) {
  const over = Boolean(state.result);
  const begun = Boolean(state.ply || state.ready);
  return {
    take_back: (state.moves ?? []).length > 0,
    not_legal: state.ply > 0,
    pause: state.paused || (begun && !over),
    enter: Boolean(state.to_move) && !over,
    // A position by hand knows no pieces that are still to be placed.
    edit: handsFirst(state).size === 0,
    draw: !over,
    resign: !over,
    leave: !over,
  };
}

/** Whether another game of the match follows this one. */
export const goesOn = ({ match }) => Boolean(match) && match.number < match.length;
