// The page's sentences about the game.

import { sentence } from "./alerts.js";
import { colourName, colourWord } from "../board/names.js";
import { LETTERS, parseMove } from "../lib/squares.js";
import { playersOf } from "./state.js";
import { list, sentenceCase, t, tn } from "../lib/texts.js";

const english = document.documentElement.lang === "en";

const PLACEHOLDER = /^Player ([1-9])(?=$| \(\d+\)$)/;

/** Letters that are written from right to left: Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name as shown: that of a player of a match without one is in the viewer's language, and one that is written from
 *  right to left does not change the order of the numbers and signs around it. */
export function shownName(name) {
  const words = name.replace(PLACEHOLDER, (_, n) => t("Player {n}", { n }));
  return RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words;
}

/** The name that a player has been given, "" if none. */
export function ownName(state, colour) {
  const name = state.players?.[colour]?.name ?? "";
  return PLACEHOLDER.test(name) ? "" : name;
}

/** A player's name, or their colour if they have none. */
export function playerName(state, colour) {
  const name = state.players?.[colour]?.name;
  if (name && name.toLowerCase() !== colour) return shownName(name);
  return colourName(colour);
}

export function alertTitle(reason, placing) {
  // In the drop set-up the reason is that pieces are still to be placed, not a thirteenth piece.
  if (placing && reason === "thirteenth_piece") return t("All pieces are placed first");
  if (placing && reason === "reserve_square") return t("A piece may not be placed there");
  return (
    {
      not_straight: t("Not in a straight line"),
      distance: t("Wrong number of squares"),
      out_of_turn: t("Not this player’s turn"),
      not_your_stack: t("Not this player’s stack"),
      two_moves: t("Two moves in one turn"),
      no_reserve: t("No piece in reserve"),
      reserve_square: t("A reserve piece may not go there"),
      thirteenth_piece: t("The thirteenth piece comes first"),
      too_high: t("A stack is too high"),
      wrong_removal: t("The wrong pieces were taken out"),
      reordered: t("A stack is in a different order"),
      not_the_reply: t("Not the turn that was asked for"),
      unexplained: t("The board is not as it should be"),
    }[reason] ?? t("Something is not right")
  );
}

/** What was done, why it is illegal and what to do, in the viewer's language. */
export function alertText(state, alert) {
  const known = sentence(alert.text, (colour) => playerName(state, colour));
  if (known) return known;
  const squares = alert.squares?.length ? t("Please correct: {squares}.", { squares: list(alert.squares) }) : "";
  return english || !squares ? (alert.text ?? "") : squares;
}

/** "Take 3 pieces from the bottom of d3: 2 red captured, 1 green back to Ann."; `prompt` needs only {square, remove}. */
export function removalWords(state, prompt) {
  const n = prompt.remove.length;
  const groups = new Map();
  for (const item of prompt.remove) {
    const kind = `${item.piece} ${item.to}`;
    groups.set(kind, [...(groups.get(kind) ?? []), item]);
  }
  const parts = [...groups.values()].map((group) => {
    const [{ piece, to, owner }] = group;
    const values = { colour: colourWord(piece), player: to === "reserve" ? playerName(state, owner) : "" };
    return to === "reserve" ? tn("{n} {colour} back to {player}", "{n} {colour} back to {player}", group.length, values) : tn("{n} {colour} captured", "{n} {colour} captured", group.length, values);
  });
  const what = tn("Take {n} piece from the bottom of {square}", "Take {n} pieces from the bottom of {square}", n, { square: prompt.square });
  return `${what}: ${parts.join(", ")}.`;
}

/** Why a request was refused; the values in the sentence are translated, too. */
export function refusalText({ text, template, values = {} }) {
  return t(template || text, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, t(value)])));
}

export const boardNotFound = () => ({ title: t("The board is not found"), text: t("The whole board must be in the picture, with light on it and nothing over it.") });

/** Whether the board, and not the camera, is lost for this reason. */
export const ofBoard = (why) => ["out of view", "hidden", "mirrored", "another position"].includes(why) || Boolean(why?.startsWith("cut off"));

/** What is wrong with the camera or its view and what to do, as {title, text}; null if nothing is wrong. */
export function cameraWords(state) {
  const words = {
    unplugged: () => [t("The camera gives no picture"), t("Check its cable. The game goes on by itself as soon as the picture is back.")],
    unreachable: () => [t("The camera does not answer"), t("Is it on, and in the same network? The game goes on by itself as soon as it answers.")],
    ended: () => [t("The camera has stopped sending"), t("Its app or its stream was closed. Open it again; the game goes on by itself.")],
    stalled: () => [t("The camera has gone silent"), t("It is reopened by itself. If that does not help, unplug it and plug it in again.")],
    phone: () => [t("The phone sends no picture"), t("Scan the code below with the phone, or unlock it and open its page again. The game goes on by itself.")],
    frozen: () => [t("The picture is frozen"), t("The camera always shows the same picture. It is reopened by itself; if that does not help, unplug it and plug it in again.")],
    dark: () => [t("The picture is dark"), t("Put a light on. The game goes on by itself as soon as the board can be seen.")],
    covered: () => [t("The camera is covered"), t("Something is over the lens, or the picture is far out of focus. The game goes on by itself.")],
    grey: () => [t("The camera shows no colours"), t("Pieces are told apart by their colours. Switch night vision or black and white off in the camera’s settings, or use another camera.")],
    damaged: () => [t("The pictures are incomplete"), t("Only part of each picture arrives. Check the cable or the network.")],
    unsteady: () => [t("The picture never comes to rest"), t("The camera shakes, or the light flickers, as with a fan under a lamp. The game goes on by itself as soon as the picture is steady.")],
    hidden: () => [t("The board is hidden"), t("Something lies over squares, or is on the lens. Turns are read as soon as the view is free.")],
    asleep: () => [t("The computer was asleep"), t("The camera is being opened again; the game goes on by itself.")],
    mirrored: () => [t("The picture is mirrored"), t("Left and right are exchanged, as by a phone’s front camera. Switch mirroring off in the camera’s settings, or use the back camera. If it is not the camera, the start is set up the wrong way round.")],
    "another position": () => [t("The board shows another position"), state.ply ? t("Set it up as in the drawing, or have the board read to go on from what stands there.") : t("Set it up as in the drawing.")],
    resolution: () => [t("The pictures have changed size"), t("The board is being looked for again. It must be in the picture as a whole.")],
  }[state.camera_why];
  if (words) {
    const [title, text] = words();
    return { title, text };
  }
  if (state.camera_why === "out of view") return boardNotFound();
  const [, edges] = (state.camera_why ?? "").match(/^cut off: (.+)$/) ?? [];
  if (edges) {
    const named = { left: t("left"), right: t("right"), top: t("top"), bottom: t("bottom") };
    const sides = edges.split(", ").map((edge) => named[edge] ?? edge).join(", ");
    return { title: t("Part of the board is outside the picture"), text: t("It is cut off here: {sides}. Turn the camera that way, or move it further away.", { sides }) };
  }
  if (state.camera === "lost") return { title: t("The camera gives no picture"), text: t("Check its cable. The game goes on by itself as soon as the picture is back.") };
  return null;
}

/** Why the game cannot be saved: a known cause in the viewer's language, anything else in the host's own words. */
export function faultWords({ fault, fault_cause: cause }) {
  const words = {
    full: () => t("The disk that holds {file} is full. Free some space; the game then goes on.", cause),
    fails: () => t("The disk that holds {file} fails. Check it; the game then goes on.", cause),
    not_writable: () => t("{file} may not be written; make it writable. The game then goes on.", cause),
    not_there: () => t("{file} cannot be opened; check that its folder is there. The game then goes on.", cause),
    busy: () => t("{file} is held by another program; close that one. The game then goes on.", cause),
    damaged: () => t("{file} is damaged. Restart the program, which rescues what is whole.", cause),
  }[cause?.kind];
  return sentenceCase(words ? words() : `${fault}.`);
}

export function moveWords(text) {
  const move = parseMove(text);
  if (!move) return text ?? "";
  if (!move.origin) return t("a reserve piece to {target}", { target: move.target });
  return tn("{n} piece {origin} to {target}", "{n} pieces {origin} to {target}", move.pieces, move);
}

/** A turn in the list of moves, with its player, what became of the pieces taken out, and who falls out. */
export function playedWords(state, { player, move, reserve = "", captured = "", out = [] }) {
  const gone = [
    reserve ? tn("{n} piece to the reserve", "{n} pieces to the reserve", reserve.length) : "",
    captured ? tn("{n} piece captured", "{n} pieces captured", captured.length) : "",
    ...out.map((colour) => t("{player} is out", { player: playerName(state, colour) })),
  ].filter(Boolean);
  return [`${playerName(state, player)}: ${moveWords(move)}`, ...gone].join(", ");
}

/** An act in the list of moves. */
export function actWords(state, { act, player }) {
  const name = playerName(state, player);
  return { resign: t("{player} resigns", { player: name }), leave: t("{player} leaves", { player: name }), draw: t("The players agree to a draw") }[act] ?? act;
}

export function resultText(state, result) {
  const names = (result.winners ?? []).map((colour) => playerName(state, colour));
  if (!names.length) return t("A draw");
  return tn("{players} wins", "{players} win", names.length, { players: list(names) });
}

export function resultReason(state, result) {
  const others = playersOf(state).length - (result.winners ?? []).length;
  return (
    {
      domination: tn("The other player cannot move any more.", "The others cannot move any more.", others),
      fast: t("Enough pieces are captured."),
      resigned: tn("The other player has resigned.", "The others have resigned.", others),
      "agreed draw": t("The players agreed."),
    }[result.reason] ?? ""
  );
}

/** The rules of a game in one line: only what differs from the rule book's full game. */
export function rulesWords(state) {
  const rules = state.rules ?? {};
  const said = [
    rules.partners ? t("partners") : "",
    rules.fast ? t("fast game") : t("full game"),
    { checkerboard: t("checkerboard set-up"), drop: t("empty board, placed in turn"), position: t("from a given position") }[rules.set_up] ?? "",
    rules.reserve_on === "empty_or_own" ? t("reserve on empty squares or own stacks only") : "",
    rules.thirteenth_piece === false ? t("twelve pieces each") : "",
    state.clock ? (state.clock.kind === "up" ? t("clock counts up") : tn("{n} minute each", "{n} minutes each", Math.round(state.clock.seconds / 60))) : "",
  ].filter(Boolean);
  return t("{rules}; {player} begins.", { rules: sentenceCase(said.join(", ")), player: playerName(state, rules.order?.[0] ?? "") });
}

export const letterOf = (colour) => LETTERS[colour] ?? colour;
