// The 52 squares, positions as text, and the board's orientation for the viewer.

export const FILES_OF_RANK = { 8: "cdef", 7: "bcdefg", 6: "abcdefgh", 5: "abcdefgh", 4: "abcdefgh", 3: "abcdefgh", 2: "bcdefg", 1: "cdef" };

export const SQUARES = [8, 7, 6, 5, 4, 3, 2, 1].flatMap((rank) => [...FILES_OF_RANK[rank]].map((file) => file + rank));
const KNOWN = new Set(SQUARES);

export const LETTERS = { red: "r", green: "g", blue: "b", yellow: "y" };

const place = (square) => [square.charCodeAt(0) - 97, Number(square[1]) - 1];
const named = (file, rank) => String.fromCharCode(97 + file) + (rank + 1);

/** Stacks by square, bottom to top, of a position's text. */
export function stacksOf(position) {
  const stacks = {};
  const words = position ? position.split("/").flatMap((rank) => rank.split(",")) : [];
  SQUARES.forEach((square, index) => {
    const stack = words[index] ?? "-";
    stacks[square] = stack === "-" ? "" : stack;
  });
  return stacks;
}

/** Column from the left and row from the top (0 to 7), with seat `turn` (0 bottom, 1 left, 2 top, 3 right) nearest. */
export function viewPlace(square, turn) {
  const [file, rank] = place(square);
  return [
    [file, 7 - rank],
    [7 - rank, 7 - file],
    [7 - file, rank],
    [rank, file],
  ][turn];
}

/** The squares by row as the viewer sees them, the far row first. */
export function rows(turn) {
  const seen = Array.from({ length: 8 }, () => []);
  for (const square of SQUARES) seen[viewPlace(square, turn)[1]].push(square);
  for (const row of seen) row.sort((a, b) => viewPlace(a, turn)[0] - viewPlace(b, turn)[0]);
  return seen;
}

/** The squares that the top pieces of a stack can reach: straight, as many squares as pieces. */
export function reach(square, height) {
  const [file, rank] = place(square);
  const found = [];
  for (const [x, y] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) {
    for (let k = 1; k <= Math.min(height, 5); k += 1) {
      const target = named(file + x * k, rank + y * k);
      if (!KNOWN.has(target)) break;
      found.push(target);
    }
  }
  return found;
}

/** {origin, target, pieces} of a move's text; origin is null for a piece from the reserve. */
export function parseMove(text) {
  const drop = /^\*([a-h][1-8])$/.exec(text ?? "");
  if (drop) return { origin: null, target: drop[1], pieces: 1 };
  const move = /^([a-h][1-8])-([a-h][1-8])$/.exec(text ?? "");
  if (!move) return null;
  const [a, b] = [place(move[1]), place(move[2])];
  return { origin: move[1], target: move[2], pieces: Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) };
}

/** A position's text after a move, with nothing trimmed: what stands on the board during a prompt. */
export function raised(position, text, letter) {
  const move = parseMove(text);
  if (!move) return position;
  const stacks = stacksOf(position);
  if (move.origin) {
    const from = stacks[move.origin];
    stacks[move.target] += from.slice(-move.pieces);
    stacks[move.origin] = from.slice(0, -move.pieces);
  } else stacks[move.target] += letter;
  return textOf(stacks);
}

/** The text of a position from its stacks by square. */
export const textOf = (stacks) => [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => [...FILES_OF_RANK[rank]].map((file) => stacks[file + rank] || "-").join(",")).join("/");

export const SIDES = ["bottom", "left", "top", "right"];

/** Seat (0 bottom, 1 left, 2 top, 3 right) of every player; `known` are the players of the host's state. */
export function seatsOf(players, known = {}) {
  const seats = {};
  players.forEach((colour, index) => {
    const side = SIDES.indexOf(known[colour]?.seat);
    seats[colour] = side >= 0 ? side : players.length === 2 ? index * 2 : index;
  });
  return seats;
}
