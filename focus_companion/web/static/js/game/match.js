// The score of the match: the points of each player in each game.

import { h } from "../lib/svg.js";
import { list, t, tn } from "../lib/texts.js";
import { shownName } from "./words.js";

/** The progress of a match, or who has won it. */
function standing({ length, finished, games, over, tied, winners }) {
  const players = list(winners.map(shownName));
  if (over && tied) return t("The match is tied between {players}.", { players });
  if (over) return tn("{players} wins the match.", "{players} win the match.", winners.length, { players });
  if (length) return t("Game {number} of {length}, {finished} finished.", { number: games.length, length, finished });
  return "";
}

export class Match {
  constructor(card) {
    Object.assign(this, { card, key: null });
  }

  /** Fetch the match again when a game begins or ends. */
  async follow(state) {
    const key = `${state.game} ${Boolean(state.result)}`;
    if (key === this.key || state.game === undefined) return;
    this.key = key;
    const answer = await fetch("/api/match", { cache: "no-store" });
    const { match = null } = answer.ok ? await answer.json() : {};
    this.card.hidden = !match;
    if (!match) return;
    const rows = Object.entries(match.totals).sort((a, b) => b[1] - a[1]);
    const games = match.games.map((game, at) => h("th", { scope: "col" }, h("a", { href: `/games/${game}`, "aria-label": t("Game {number}", { number: game }) }, String(at + 1))));
    const row = ([name, total]) => h("tr", {}, h("th", { scope: "row" }, shownName(name)), ...match.scores.map((points) => h("td", {}, String(points[name] ?? 0))), h("td", { class: "total" }, String(total)));
    this.card.querySelector("table").replaceChildren(h("thead", {}, h("tr", {}, h("td", {}), ...games, h("th", { scope: "col" }, t("Sum")))), h("tbody", {}, ...rows.map(row)));
    const [result, explained] = this.card.querySelectorAll("p");
    result.textContent = standing(match);
    result.hidden = !result.textContent;
    explained.textContent = tn("One point for each opposing piece captured, in {n} game.", "One point for each opposing piece captured, in {n} games.", match.games.length);
    this.card.querySelector("[data-match-export]").hidden = !match.length;
    for (const link of this.card.querySelectorAll("[data-match-export] a")) link.href = `/api/games/${state.game}/export?match=1&format=${link.dataset.format}`;
  }
}
