// What the page derives from the host's state.

import { LETTERS } from "../lib/squares.js";

/** The state after an event: keys missing in `change` stay, and of the list of moves only the end changes. */
export function after(state, change) {
  const { keep, add } = change.moves;
  return { ...state, ...change, moves: [...(state.moves ?? []).slice(0, keep), ...add] };
}

/** The players in turn order. */
export const playersOf = (state) => state.order ?? state.rules?.order ?? Object.keys(state.reserves ?? {});

/** Letters of the players who must place a piece before they may move a stack. */
export function handsFirst(state) {
  const placing = Object.entries(state.placing ?? {}).filter(([, left]) => left > 0);
  return new Set([...(state.thirteenth ?? []), ...placing.map(([colour]) => colour)].map((colour) => LETTERS[colour]));
}

/** The kind of seat of the player to move, without its level: "board", "companion", "far", "engine", "table". */
export const moverKind = (state) => (state.seats?.[state.to_move] ?? "board").split(":")[0];

/** Squares on which the board differs from the start or the game, or null. */
export function differing(state) {
  return state.set_up?.length ? state.set_up : null;
}

/** The turns among which the players must choose, or null. */
export function candidates(state) {
  return state.unclear?.length ? state.unclear : null;
}

/** "before" the first turn can be played, "play" during the game, "over" after it. */
export const phase = (state) => (state.result ? "over" : state.ply || state.ready || state.paused ? "play" : "before");

/** Which acts are possible now, by name; the others do not depend on the state of the game. */
export function possible(state) {
  const over = Boolean(state.result);
  const begun = Boolean(state.ply || state.ready);
  const help = begun && !over && !state.match && moverKind(state) === "board";
  // No position can be played from by fewer than two players: a resignation must be taken back instead.
  const playable = playersOf(state).length - (state.out ?? []).length > 1;
  return {
    take_back: (state.moves ?? []).length > 0,
    not_legal: state.ply > 0,
    hint: help,
    is_good: help,
    pause: state.paused || (begun && !over),
    enter: Boolean(state.to_move) && !over,
    // A position set by hand cannot have pieces that are still to be placed.
    edit: handsFirst(state).size === 0 && playable,
    read_board: playable,
    again: (state.moves ?? []).length > 0 && !state.match,
    draw: !over,
    resign: !over,
    leave: !over,
  };
}

/** Whether another game of the match follows this one. */
export const goesOn = ({ match }) => Boolean(match) && match.number < match.length;
