// The hall's page: every table in small, one in large, what is open for the arbiter, results and standings.

import { Board } from "./board.js";
import { Clocks } from "./clock.js";
import { Moves } from "./moves.js";
import { sprite, token } from "./pieces.js";
import { showPlayers } from "./players.js";
import { pref, setPref, tie } from "./prefs.js";
import { sound } from "./sound.js";
import { LETTERS, raised } from "./squares.js";
import { h } from "./svg.js";
import { loadTexts, t, tn } from "./texts.js";
import { Tile, isOpen, rank, standing } from "./tile.js";
import { letterOf, playerName, resultText } from "./words.js";

const $ = (selector) => document.querySelector(selector);
const RESULTS_MS = 1000;

document.body.prepend(sprite());
await loadTexts(document.body.dataset.texts);

const tables = new Map(); // name → Tile
const known = new Map(); // what is open: name → its words
const all = $("#tables");
const large = $("#large");
const natural = new Intl.Collator(document.documentElement.lang, { numeric: true });

let chosen = "";
let told = 0; // seq of the game whose moves are shown
let drawing = false;
let results = -1;
let resultsTimer = 0;

const board = new Board($("#board"), (square, words) => ($("#square-info").textContent = words));
const clocks = new Clocks(large.querySelector(".table"));
const moves = new Moves($("#moves"), $("#no-moves"), () => {});

function line(kind) {
  const lamp = $("#line");
  lamp.dataset.line = kind;
  lamp.textContent = { connecting: t("Connecting"), live: tn("{n} table, live", "{n} tables, live", tables.size), broker: t("Broker not reached"), off: t("Host not reached") }[kind];
}

/** What is open, oldest first; a sound for what was not open before. */
function arbiter(sorted) {
  const open = sorted.filter((tile) => isOpen(tile.now.kind));
  // Who waits longest for the arbiter comes first.
  const since = (tile) => Date.parse(tile.tile.alert_at ?? "") || 0;
  open.sort((a, b) => rank(a.now.kind) - rank(b.now.kind) || since(a) - since(b) || natural.compare(a.name, b.name));
  const words = new Map(open.map((tile) => [tile.name, `${tile.name}. ${tile.now.title}. ${tile.now.text}`]));
  const fresh = [...words].filter(([name, text]) => known.get(name) !== text).map(([, text]) => text);
  if (fresh.length) {
    $("#loud").textContent = fresh.join(" ");
    sound("alert", fresh[0]);
  }
  known.clear();
  for (const [name, text] of words) known.set(name, text);
  $("#arbiter").dataset.open = open.length;
  $("#arbiter ol").replaceChildren(
    ...open.map((tile) =>
      h("li", {}, h("button", { type: "button", "data-kind": tile.now.kind, on: { click: () => choose(tile.name) } }, h("strong", {}, tile.name), h("span", {}, h("b", {}, tile.now.title), " ", tile.now.text))),
    ),
  );
}

/** Everything in its place; at most once a frame. */
function arrange() {
  drawing = false;
  const sorted = [...tables.values()].sort((a, b) => rank(a.now.kind) - rank(b.now.kind) || natural.compare(a.name, b.name));
  sorted.forEach((tile, index) => {
    if (all.children[index] !== tile.element) all.insertBefore(tile.element, all.children[index] ?? null);
  });
  $("#no-tables").hidden = tables.size > 0;
  arbiter(sorted);
  showLarge();
}

function take(message) {
  for (const name of message.gone) {
    tables.get(name)?.element.remove();
    tables.delete(name);
  }
  for (const told of message.tables) {
    if (!tables.has(told.table)) tables.set(told.table, new Tile(told.table, choose));
    tables.get(told.table).show(told);
  }
  line(message.broker ? "live" : "broker");
  if (!drawing) requestAnimationFrame(arrange);
  drawing = true;
  if (message.results !== results) {
    results = message.results;
    clearTimeout(resultsTimer);
    resultsTimer = setTimeout(() => showResults().catch((problem) => console.info(problem.message)), document.body.dataset.ready === undefined ? 0 : RESULTS_MS);
  }
  document.body.dataset.ready = "";
}

// One table in large

function choose(name) {
  location.hash = name ? `table=${encodeURIComponent(name)}` : "";
}

function follow() {
  const before = chosen;
  chosen = decodeURIComponent(/^#table=(.+)$/.exec(location.hash)?.[1] ?? "");
  told = 0;
  showLarge();
  if (chosen && chosen !== before) large.querySelector("h2").focus();
}

function showLarge() {
  const tile = tables.get(chosen)?.tile;
  large.hidden = !tile;
  for (const [name, other] of tables) other.button.setAttribute("aria-current", name === chosen);
  if (!tile) return;
  const now = standing(tile);
  large.dataset.kind = now.kind;
  large.querySelector("h2").textContent = tile.table;
  $("#large-status").textContent = `${now.title}. ${now.text}`;
  board.look(pref("view"), 0);
  board.show(tile.prompt?.move ? raised(tile.position, tile.prompt.move, letterOf(tile.to_move)) : tile.position);
  board.mark({ last: tile.last_move, wrong: tile.alert?.squares, prompt: tile.prompt });
  showPlayers(large.querySelector(".table"), tile, 0);
  clocks.show(tile.clock);
  for (const link of large.querySelectorAll("[data-export]")) link.href = `/api/tables/${encodeURIComponent(tile.table)}/games/${tile.game}/export?format=${link.dataset.export}`;
  if (told !== tile.seq) {
    told = tile.seq;
    showMoves(tile.table).catch((problem) => console.info(problem.message));
  }
}

async function showMoves(name) {
  const answer = await fetch(`/api/tables/${encodeURIComponent(name)}`, { cache: "no-store" });
  if (!answer.ok) {
    // The game's first events are still on their way.
    moves.show({ moves: [] });
    return;
  }
  const game = await answer.json();
  if (name === chosen) moves.show(game);
}

// Results and standings

const people = (game) => game.order.map((colour) => h("span", { class: "who" }, token(LETTERS[colour]), playerName(game, colour), h("b", {}, String(game.points[colour] ?? 0))));

async function showResults() {
  const answer = await fetch("/api/results", { cache: "no-store" });
  if (!answer.ok) return;
  const { games, standings, matches } = await answer.json();
  const over = games.filter((game) => game.result);
  $("#results").replaceChildren(
    ...over.map((game) => h("li", {}, h("strong", {}, game.table), h("span", { class: "names" }, ...people(game)), h("span", { class: "facts" }, resultText(game, game.result), " · ", tn("{n} turn", "{n} turns", game.plies), " · ", h("a", { href: `/api/tables/${encodeURIComponent(game.table)}/games/${game.game}/export?format=json`, download: "" }, t("Record"))))),
  );
  $("#standings").hidden = !standings.length;
  $("#no-standings").hidden = standings.length > 0;
  $("#standings tbody").replaceChildren(
    ...standings.map((row) => h("tr", {}, h("td", {}, String(row.place)), h("th", { scope: "row" }, row.name), h("td", {}, String(row.played)), h("td", { class: "total" }, String(row.score).replace(".5", "½").replace(/^0½/, "½")), h("td", {}, String(row.points)))),
  );
  $("#matches").replaceChildren(
    ...matches.map((match) => h("li", {}, h("span", { class: "names" }, ...match.names.map((name) => h("span", { class: "who" }, name, h("b", {}, `${match.won[name]} (${match.points[name]})`)))), h("span", { class: "facts" }, tn("{n} game", "{n} games", match.games)))),
  );
}

// The line to the host

function open() {
  const source = new EventSource("/api/events");
  source.addEventListener("tables", (event) => take(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    line(source.readyState === EventSource.CLOSED ? "off" : "connecting");
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(open, 3000);
  });
}

const listen = $("#listen");
const heard = () => (listen.hidden = pref("sound") !== "off");
listen.addEventListener("click", () => {
  setPref("sound", "tones");
  $("#settings").elements.namedItem("sound").value = "tones";
  heard();
  sound("alert", "");
});
tie($("#settings"), () => {
  heard();
  showLarge();
});
$("#back-to-all").addEventListener("click", () => choose(""));
document.addEventListener("keydown", (event) => event.key === "Escape" && choose(""));
addEventListener("hashchange", follow);
heard();
follow();
open();
