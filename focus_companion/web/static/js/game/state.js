// The page's copy of the game: what /api/state says, carried on by the events.

import { followed } from "./clock.js";
import { LETTERS } from "../lib/squares.js";

/** Events that change more than they say; the state is asked for again. */
const NEEDS_STATE = new Set(["taken_back", "result", "game", "seat", "act", "corrected", "begins", "ruling", "placed"]);

/** Why a camera is lost though it gives pictures: a state of its own. */
const USELESS = new Set(["frozen", "dark", "covered", "damaged"]);

/** The state after an event, and whether it should be asked for again. */
export function after(state, type, event) {
  const next = { ...state, clock: followed(state, type, event) };
  switch (type) {
    case "ready":
      Object.assign(next, { camera: "ok", camera_why: null, set_up: null, ready: true });
      // How the camera stands is told by the state alone.
      return { next, stale: true };
    case "set_up":
      Object.assign(next, { camera: "ok", camera_why: null, set_up: event.squares, ready: false });
      return { next, stale: true };
    case "move":
      if (event.ply !== state.ply + 1) return { next: state, stale: true };
      Object.assign(next, {
        ply: event.ply,
        position: event.position,
        reserves: event.reserves,
        captured: event.captured,
        to_move: event.to_move,
        last_move: event.move,
        moves: [...(state.moves ?? []), entry(state, event)],
        prompt: null,
        unclear: null,
        set_up: null,
        rescued: null,
        reply: null,
        seat_failed: null,
        hint: null,
      });
      // Who must still place a piece before moving a stack is told by the state alone.
      return { next, stale: event.to_move === null || handsFirst(state).size > 0 };
    case "prompt":
      // Which turn made the stack so high is told by the state alone.
      return { next: { ...next, prompt: event, unclear: null }, stale: true };
    case "alert":
      // Whether its player may begin is told by the state alone.
      return { next: { ...next, alert: event, begins: null }, stale: event.reason === "out_of_turn" && !state.ply };
    case "reply":
      Object.assign(next, { reply: event, seat_failed: null });
      break;
    case "hint":
      next.hint = event;
      break;
    case "seat_failed":
      next.seat_failed = event;
      break;
    case "resolved":
      Object.assign(next, { alert: null, begins: null, prompt: null, unclear: null, set_up: null });
      break;
    case "unclear":
      next.unclear = event.candidates;
      break;
    case "lost":
      next.camera = event.what === "board" ? "no board" : USELESS.has(event.why) ? event.why : "lost";
      next.camera_why = event.why || null;
      break;
    case "found":
      Object.assign(next, { camera: "ok", camera_why: null });
      // Camera and board may both be away, and only one be back.
      return { next, stale: true };
    case "pause":
      next.paused = event.paused;
      break;
    default:
      return { next: state, stale: NEEDS_STATE.has(type) };
  }
  return { next, stale: false };
}

/** A turn as the list of moves has it: with the letters of the pieces that its trimming sent away. */
export function entry(before, event) {
  const { ply, player, move, time } = event;
  const grown = (now, then, less = 0) => Math.max(0, (now ?? 0) - (then ?? 0) + less);
  let reserve = "";
  for (const [colour, count] of Object.entries(event.reserves)) {
    const placed = colour === player && move.startsWith("*") && !before.placing?.[player] ? 1 : 0;
    reserve += LETTERS[colour].repeat(grown(count, before.reserves?.[colour], placed));
  }
  let captured = "";
  for (const [colour, count] of Object.entries(event.captured[player] ?? {})) captured += LETTERS[colour].repeat(grown(count, before.captured?.[player]?.[colour]));
  return { ply, player, move, time, reserve, captured };
}

/** The players in turn order. */
export const playersOf = (state) => state.order ?? state.rules?.order ?? Object.keys(state.reserves ?? {});

/** Letters of the players who must place a piece before any stack of theirs may move. */
export function handsFirst(state) {
  const placing = Object.entries(state.placing ?? {}).filter(([, left]) => left > 0);
  return new Set([...(state.thirteenth ?? []), ...placing.map(([colour]) => colour)].map((colour) => LETTERS[colour]));
}

/** The kind of seat of the player to move, without its level: "board", "companion", "far", "engine", "table". */
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
    hint: begun && !over && !state.match && moverKind(state) === "board",
    pause: state.paused || (begun && !over),
    enter: Boolean(state.to_move) && !over,
    // A position by hand knows no pieces that are still to be placed.
    edit: handsFirst(state).size === 0,
    again: (state.moves ?? []).length > 0 && !state.match,
    draw: !over,
    resign: !over,
    leave: !over,
  };
}

/** Whether another game of the match follows this one. */
export const goesOn = ({ match }) => Boolean(match) && match.number < match.length;
