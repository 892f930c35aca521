// The referee's sentences in the viewer's language and with the players' names.
// An alert contains one English sentence. The templates here are those from which it was made, so that it can be
// parsed and translated. A test checks that they equal the referee's own.

import { LETTERS, parseMove, stacksOf } from "../lib/squares.js";
import { list, t, tn } from "../lib/texts.js";

const said = (text) => text;

const TEMPLATES = [
  said("{Player} moved {pieces} from {origin} to {target}, which is not straight along a row or column. Please put {them} back on {origin}."),
  said("{Player} moved {pieces} {squares} from {origin} to {target}; {pieces} must go exactly {right}. Please put {them} back on {origin}."),
  said("{Player} moved from {origin} to {target}, but it is {turn}’s turn. Please put what was moved back on {origin}."),
  said("{Player} placed a piece on {target}, but it is {turn}’s turn. Please take it off {target} again."),
  said("{Player} moved from {origin} to {target}, but {turn} was to begin. Please put what was moved back on {origin}; if {player} is to begin, say so or play on."),
  said("{Player} placed a piece on {target}, but {turn} was to begin. Please take it off {target} again; if {player} is to begin, say so or play on."),
  said("{Player} moved {owner}’s stack from {origin} to {target}; only {owner}, whose piece is on top, may move it. Please put it back on {origin}."),
  said("{Player} made two moves in one turn (look at {where}), and only one is allowed. Please undo one of them."),
  said("{Player} placed a piece on {target} but has none in reserve. Please take it off the board."),
  said("{Player} placed a reserve piece on {target}; in this game it may only go on an empty square or on your own stack. Please put it back in the reserve."),
  said("{Player} must begin by placing the thirteenth piece on an empty square. Please undo what was done, then place it."),
  said("{Player} moved from {origin} to {target}, but nothing moves until all pieces are placed. Please put what was moved back on {origin}, then place a piece."),
  said("{Player} placed a piece on {target}; until all are placed, a piece may only go on an empty square or on your own stack. Please place it somewhere else."),
  said("{Player} placed a piece on {target}, where five lie already. Please place it somewhere else."),
  said("The stack on {target} has more than five pieces, and play went on before the extra ones were taken off. Please undo the last move; then {player} takes {pieces} from the bottom of {target}."),
  said("The wrong pieces were taken from {target}. {Player} must take exactly {pieces} from the bottom and leave all others there. Please put that right."),
  said("Pieces are missing from {where}, though no turn takes them away. Please put them back as they were."),
  said("The pieces on {where} are in another order than before, and no turn changes their order. Please put them back as they were."),
  said("{Player} asked for {asked}, and not for {made}. Please put the pieces back as they were, then make the turn that was asked for."),
  said("{Player} has not chosen a turn yet, but {made} was played. Please put the pieces back as they were."),
  said("The board has changed at {where} in a way that no single turn explains. Please put the pieces there back as they were."),
];

const COLOUR = "[Rr]ed|[Gg]reen|[Bb]lue|[Yy]ellow";
const TURN = "\\d+ pieces? [a-h][1-8] to [a-h][1-8]|a reserve piece to [a-h][1-8]";
const FIELDS = { Player: COLOUR, player: COLOUR, turn: COLOUR, owner: COLOUR, pieces: "\\d+ pieces?", squares: "\\d+ squares?", right: "\\d+ squares?", origin: "[a-h][1-8]", target: "[a-h][1-8]", where: "[a-h1-8, and]+", them: "it|them", asked: TURN, made: TURN };

function pattern(template) {
  const met = new Set();
  const source = template.replace(/[.()]/g, "\\$&").replace(/\{(\w+)\}/g, (_, name) => {
    if (met.has(name)) return `\\k<${name}>`;
    met.add(name);
    return `(?<${name}>${FIELDS[name]})`;
  });
  return new RegExp(`^${source}$`);
}

let patterns = null; // compiled when the first alert is shown

/** The parts of a referee's sentence: {template, …fields}, or null if it matches no template. */
export function parts(text) {
  patterns ??= TEMPLATES.map((template) => [template, pattern(template)]);
  for (const [template, shape] of patterns) {
    // Records of earlier versions use the straight apostrophe.
    const found = shape.exec((text ?? "").replaceAll("'", "’"));
    if (!found) continue;
    const { made } = found.groups;
    return { ...found.groups, ...(made ? { ...ends(made), pieces: made } : {}), template };
  }
  return null;
}

/** The sentence, translated; `nameOf(colour)` returns a player's name. Null if it matches no template. */
export function sentence(text, nameOf) {
  const found = parts(text);
  if (!found) return null;
  const values = {};
  for (const [field, word] of Object.entries(found)) {
    if (FIELDS[field] === COLOUR) values[field] = nameOf(word.toLowerCase());
    else if (field === "pieces") values[field] = tn("{n} piece", "{n} pieces", parseInt(word, 10));
    else if (field === "squares" || field === "right") values[field] = tn("{n} square", "{n} squares", parseInt(word, 10));
    else if (field === "where") values[field] = list(word.match(/[a-h][1-8]/g));
    else if (FIELDS[field] === TURN) values[field] = turnWords(word);
    else if (field === "them") values[field] = word === "it" ? t("it") : t("them");
    else values[field] = word;
  }
  return t(found.template, values);
}

/** The pieces that lie where the game has none, if the sentence says so: {square, stack}, stack bottom to top. */
export function ghostOf(alert, position) {
  const found = parts(alert?.text);
  if (!undoing(alert)) return null;
  const { origin, target, pieces, Player } = found;
  if (!origin) return { square: target, stack: LETTERS[Player.toLowerCase()] };
  // A sentence without a number is about a turn that would be legal for another player: as many pieces as squares.
  const stack = stacksOf(position)[origin];
  const count = pieces ? parseInt(pieces, 10) : (parseMove(`${origin}-${target}`).pieces);
  return { square: target, stack: stack.slice(-count) };
}

/** The squares in a turn's words: origin (null: from the reserve) and target. */
function ends(words) {
  const squares = words.match(/[a-h][1-8]/g);
  return { origin: squares.length > 1 ? squares[0] : null, target: squares.at(-1) };
}

/** A turn's English words, translated. */
function turnWords(words) {
  const { origin, target } = ends(words);
  if (!origin) return t("a reserve piece to {target}", { target });
  return tn("{n} piece {origin} to {target}", "{n} pieces {origin} to {target}", parseInt(words, 10), { origin, target });
}

/** How to undo the act, if it is a single one: {from, to} squares, or {from} for a piece to be taken off. */
export function undoing(alert) {
  const found = parts(alert?.text);
  if (!found?.target || found.template.startsWith("The ")) return null;
  return found.origin ? { from: found.target, to: found.origin } : { from: found.target };
}
