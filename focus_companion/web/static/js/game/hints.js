// The rule book's strategy hints that a turn illustrates, in words.

import { list, t } from "../lib/texts.js";

/** A hint of the review as a sentence. */
export function hintWords({ hint, kind, squares }) {
  const values = { hint, squares: list(squares), square: squares[0], other: squares.at(-1), others: list(squares.slice(1)) };
  return (
    {
      pair: t("Hint {hint} of the rule book: {squares} are two high and two apart, ready to be joined.", values),
      between: t("Against hint {hint} of the rule book: {square} lies between the single pieces on {others}.", values),
      attacked_first: t("Hint {hint} of the rule book: of two large stacks in a line, that on {square} was the first to take from the other.", values),
      left_to_attack: t("Against hint {hint} of the rule book: the large stack on {square} is exposed to that on {other}.", values),
      part_saved: t("Hint {hint} of the rule book: part of the threatened stack on {square} is safe on {other} and can come back.", values),
      reserve_back: t("Hint {hint} of the rule book: the reserve piece takes the five on {square} and wins a piece back.", values),
    }[kind] ?? ""
  );
}
