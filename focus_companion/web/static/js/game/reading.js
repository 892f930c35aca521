// A position read by the camera without knowing the game: offered to be accepted or corrected.

import { stacksOf, textOf } from "../lib/squares.js";
import { list, t, tn } from "../lib/texts.js";

let passed = null; // the reading that this viewer has declined
let swapped = null; // the reading whose two colours this viewer has swapped

const about = ({ game, reading }) => `${game} ${reading.time}`;

/** The reading that awaits the players' answer, with colours swapped if they chose so, or null. */
export function offered(state) {
  const { reading } = state;
  if (!reading?.position || passed === about(state)) return null;
  return swapped === about(state) ? { ...reading, position: exchanged(reading.position, state.order) } : reading;
}

/** The position with the colours of two players exchanged. */
export function exchanged(position, [one, other]) {
  const [a, b] = [one[0], other[0]];
  return [...position].map((letter) => ({ [a]: b, [b]: a })[letter] ?? letter).join("");
}

export const passOver = (state) => (passed = about(state));

export const swap = (state) => (swapped = swapped === about(state) ? null : about(state));

/** The squares on which a reading differs from the game's position. */
function differences(reading, position) {
  const [read, stands] = [stacksOf(reading.position), stacksOf(position)];
  return Object.keys(read).filter((square) => read[square] !== stands[square]);
}

/** The reading as {title, text, answers} for the status. */
export function readingWords(state, reading) {
  const doubtful = reading.doubtful ?? [];
  const look = doubtful.length ? tn("Look at this square first: {squares}.", "Look at these squares first: {squares}.", doubtful.length, { squares: list(doubtful) }) : t("No square is doubtful.");
  const swaps = (state.order ?? []).length === 2 ? [["swap_reading", t("Swap the colours")]] : [];
  if (state.start_from) return { title: t("Begin from this position?"), text: look, answers: [["take_reading", t("Begin from here"), true], ["edit_reading", t("Correct it")], ...swaps] };
  const differ = differences(reading, state.position);
  const apart = differ.length ? tn("This square differs from the game: {squares}.", "These {n} squares differ from the game: {squares}.", differ.length, { squares: list(differ) }) : t("It is the position of the game.");
  return { title: t("Go on from this position?"), text: [apart, look].join(" "), answers: [["take_reading", t("Take this position"), true], ["edit_reading", t("Correct it")], ...swaps, ["pass_reading", t("Put the board right")]] };
}

/** The request that accepts the reading as it is; everything else about the game stays. */
export const taken = (reading) => ({ act: "set_position", position: textOf(stacksOf(reading.position)), note: "read by the camera" });
