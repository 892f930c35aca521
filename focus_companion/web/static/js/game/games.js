// The list of past games, with a search over names, dates, results and numbers.

import { sprite, token } from "../board/pieces.js";
import { LETTERS } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { date, loadTexts, t, tn } from "../lib/texts.js";
import { playerName, resultText } from "./words.js";

document.body.prepend(sprite());
await loadTexts(document.body.dataset.texts);

const list = document.querySelector("#games");
const search = document.querySelector("#search");
const empty = document.querySelector("#no-games");

function entry(game) {
  const players = (game.order ?? Object.keys(game.players ?? {})).map((colour) => h("span", { class: "who" }, token(LETTERS[colour]), playerName(game, colour)));
  const result = game.result ? resultText(game, game.result) : t("not finished");
  const when = game.date ? date(game.date) : "";
  const turns = tn("{n} turn", "{n} turns", game.plies ?? 0);
  return h(
    "li",
    {},
    h("a", { href: `/games/${game.id}` }, h("span", { class: "number" }, `#${game.id}`), h("span", { class: "names" }, ...players), h("span", { class: "facts" }, ...[when, turns, result].flatMap((fact) => [h("span", {}, fact), " "]))),
  );
}

// "zaneta" finds Żaneta too.
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function filter() {
  const words = plain(search.value).split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const item of list.children) {
    const text = plain(item.textContent);
    item.hidden = !words.every((word) => text.includes(word));
    if (!item.hidden) shown += 1;
  }
  empty.hidden = shown > 0;
}

const answer = await fetch("/api/games", { cache: "no-store" });
const games = answer.ok ? (await answer.json()).games : [];
list.replaceChildren(...games.map(entry));
search.addEventListener("input", filter);
filter();
document.body.dataset.ready = "";
