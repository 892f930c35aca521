// The list of past games: results and final positions, a search, titles, deleting and restoring.

import { draw, miniature } from "../board/miniature.js";
import { sprite, token } from "../board/pieces.js";
import { ask, send } from "../lib/sending.js";
import { LETTERS } from "../lib/squares.js";
import { h, s } from "../lib/svg.js";
import { duration, loadTexts, moment, t, tn } from "../lib/texts.js";
import { toast } from "../lib/toast.js";
import { playerName, resultText } from "./words.js";

document.body.prepend(sprite());
await loadTexts(document.body.dataset.texts);

const $ = (selector) => document.querySelector(selector);
const list = $("#games");
const search = $("#search");
const mayChange = "change" in $("#main").dataset;
const icons = {
  rename: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
};

let all = []; // the games as listed by the host, newest first
const former = new Map(); // former titles of the games renamed on this page, by game
const gone = new Set(); // games deleted on this page: each keeps its place, with an undo button

// A board is drawn when it becomes visible, because there may be hundreds.
const sights = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    sights.unobserve(target);
    draw(target, target.dataset.position);
  }
}, { rootMargin: "300px" });

function board(game) {
  const canvas = miniature();
  canvas.dataset.position = game.position;
  sights.observe(canvas);
  return canvas;
}

const names = (game) => game.order.map((colour) => playerName(game, colour)).join(" – ");

/** The facts about a game, in the order in which they are read. */
function facts(game) {
  const { match } = game;
  return [
    game.date ? moment(game.date) : "",
    game.ended ? duration(game.date, game.ended) : "",
    tn("{n} turn", "{n} turns", game.plies ?? 0),
    game.result ? resultText(game, game.result) : t("not finished"),
    game.running ? t("at the table now") : "",
    match ? t("Game {number} of {length} of a match", match) : "",
  ].filter(Boolean);
}

function about(game) {
  const player = (colour) => h("span", { class: "who" }, token(LETTERS[colour]), playerName(game, colour), " ", h("b", { title: t("Pieces captured") }, String(game.points[colour] ?? 0)));
  return [
    board(game),
    game.title ? h("strong", { class: "title" }, game.title) : null,
    h("span", { class: "names" }, ...game.order.map(player)),
    h("span", { class: "facts" }, h("span", { class: "number" }, `#${game.id}`), " ", ...facts(game).flatMap((fact) => [h("span", {}, fact), " "])),
  ];
}

function button(what, game, words, act) {
  const icon = s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: icons[what] }));
  return h("button", { type: "button", class: "round", "data-do": what, title: words, "aria-label": `${words}: #${game.id} ${game.title || names(game)}`, on: { click: () => act(game) } }, icon);
}

function entry(game) {
  if (gone.has(game.id)) {
    const undo = h("button", { type: "button", "data-do": "undo", on: { click: () => bringBack(game) } }, t("Undo"));
    return h("li", { class: "gone", "data-game": game.id }, h("span", {}, t("Game {number} is deleted.", { number: `#${game.id}` })), undo);
  }
  const link = h("a", { href: game.running ? "/" : `/games/${game.id}` }, ...about(game));
  const undo = h("button", { type: "button", class: "undo", "data-do": "unname", "aria-label": t("Undo the renaming of game {number}", { number: `#${game.id}` }), on: { click: () => unname(game) } }, t("Undo"));
  const acts = [former.has(game.id) ? undo : null, button("rename", game, t("Rename"), rename), game.running ? null : button("delete", game, t("Delete"), remove)];
  return h("li", { "data-game": game.id }, link, mayChange ? h("div", { class: "do" }, ...acts) : null);
}

function deletedEntry(game) {
  const back = h("button", { type: "button", "data-do": "undelete", on: { click: () => bringBack(game) } }, t("Restore"));
  return h("li", { "data-game": game.id }, h("div", { class: "about" }, ...about(game)), mayChange ? h("div", { class: "do" }, back) : null);
}

/** Redraw the lists; `focus`: selector of the element that gets the focus. */
function show(focus) {
  const listed = all.filter((game) => !game.deleted || gone.has(game.id));
  const deleted = all.filter((game) => game.deleted && !gone.has(game.id));
  list.replaceChildren(...listed.map(entry));
  $("#deleted").hidden = !deleted.length;
  $("#deleted ol").replaceChildren(...deleted.map(deletedEntry));
  $("#none-yet").hidden = listed.some((game) => !game.running);
  filter();
  if (focus) document.querySelector(focus)?.focus();
}

async function change(game, body) {
  return send(`/api/games/${game.id}`, body, toast);
}

async function rename(game) {
  const field = $("#rename input");
  field.value = game.title;
  field.placeholder = names(game);
  const pressed = await ask($("#rename"));
  if (pressed !== "ok" || !(await change(game, { title: field.value }))) return;
  if (!former.has(game.id)) former.set(game.id, game.title);
  await load();
  show(`[data-game="${game.id}"] [data-do="rename"]`);
}

async function unname(game) {
  if (!(await change(game, { title: former.get(game.id) }))) return;
  former.delete(game.id);
  await load();
  show(`[data-game="${game.id}"] [data-do="rename"]`);
}

async function remove(game) {
  if (!(await change(game, { deleted: true }))) return;
  gone.add(game.id);
  await load();
  show(`[data-game="${game.id}"] [data-do="undo"]`);
  $("#announcement").textContent = t("Game {number} is deleted.", { number: `#${game.id}` });
}

async function bringBack(game) {
  if (!(await change(game, { deleted: false }))) return;
  gone.delete(game.id);
  await load();
  show(`[data-game="${game.id}"] a`);
  $("#announcement").textContent = t("Game {number} is restored.", { number: `#${game.id}` });
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
  $("#no-games").hidden = shown > 0 || !list.children.length;
}

async function load() {
  const answer = await fetch("/api/games", { cache: "no-store" });
  const content = await answer.json().catch(() => ({}));
  if (answer.ok) all = [...content.games, ...content.deleted].sort((a, b) => b.id - a.id);
  $("#trouble").hidden = answer.ok;
  $("#trouble").textContent = answer.ok ? "" : (content.error ?? t("The host did not understand."));
  return answer.ok;
}

search.addEventListener("input", filter);
// Whoever comes back with the browser's button may see the page as it was left.
addEventListener("pageshow", async ({ persisted }) => {
  if (persisted && (await load())) show();
});
if (await load()) show();
document.body.dataset.ready = "";
