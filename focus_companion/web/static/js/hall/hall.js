// The hall's page: all tables as tiles, one enlarged, open cases for the arbiter, results and standings.

import { Arbiter } from "./arbiter.js";
import { Board } from "../board/board.js";
import { Clocks } from "../game/clock.js";
import { Moves } from "../game/moves.js";
import { sprite, token } from "../board/pieces.js";
import { showPlayers } from "../game/players.js";
import { pref, setPref, tie } from "../lib/prefs.js";
import { sound } from "../lib/sound.js";
import { LETTERS, raised } from "../lib/squares.js";
import { h, inOrder } from "../lib/svg.js";
import { bound, loadTexts, t, tn } from "../lib/texts.js";
import { sentence } from "../game/status.js";
import { Tile, standing } from "./tile.js";
import { letterOf, playerName, resultText } from "../game/words.js";

const $ = (selector) => document.querySelector(selector);
const RESULTS_DELAY_MS = 1000; // at least; up to twice as long
const RECONNECT_MS = 3000;
const CLOCK_REFRESH_MS = 500;

document.body.prepend(sprite());
await loadTexts(document.body.dataset.texts);

const tables = new Map(); // name → Tile
const tiles = new WeakMap(); // its element → Tile
const all = $("#tables");
const large = $("#large");
const natural = new Intl.Collator(document.documentElement.lang, { numeric: true });

let chosen = ""; // by a viewer
let shownLast = 0; // the last event of the turns that are shown
let drawing = false;
let moved = false; // whether tables have come or gone
let shown = null; // the tile in the large view
let results = -1;
let resultsTimer = 0;

const board = new Board($("#board"), (square, words) => ($("#square-info").textContent = words));
const clocks = new Clocks(large.querySelector(".table"));
const moves = new Moves($("#moves"), $("#no-moves"), () => {});
const arbiter = new Arbiter($("#arbiter"), $("#loud"), natural.compare, choose);

function line(kind) {
  const lamp = $("#line");
  lamp.dataset.line = kind;
  lamp.textContent = { connecting: t("Connecting"), live: tn("{n} table, live", "{n} tables, live", tables.size), broker: t("Broker unreachable"), off: t("Host unreachable") }[kind];
}

const visible = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const tile = tiles.get(target);
      tile.seen = isIntersecting;
      if (isIntersecting) {
        tile.paint();
        tile.clocks.draw();
      }
    }
  },
  { rootMargin: "400px" },
);

/** The table in the large view: the chosen one, or the only one there is. */
const inLarge = () => tables.get(chosen) ?? (tables.size === 1 ? [...tables.values()][0] : undefined);

/** Lay everything out, at most once per frame. A table keeps its place whatever happens at it. */
function arrange() {
  drawing = false;
  if (moved) inOrder(all, [...tables.values()].sort((a, b) => natural.compare(a.name, b.name)).map((tile) => tile.element));
  moved = false;
  $("#no-tables").hidden = tables.size > 0;
  arbiter.show([...tables.values()]);
  document.body.toggleAttribute("data-alone", tables.size === 1);
  if (inLarge()?.tile !== shown) showLarge();
}

function add(name) {
  const tile = new Tile(name, choose);
  tables.set(name, tile);
  tiles.set(tile.element, tile);
  visible.observe(tile.element);
  moved = true;
}

function drop(name) {
  const tile = tables.get(name);
  if (!tile) return;
  visible.unobserve(tile.element);
  tiles.delete(tile.element);
  tables.delete(name);
  moved = true;
}

function take(message) {
  message.gone.forEach(drop);
  for (const tile of message.tables) {
    if (!tables.has(tile.table)) add(tile.table);
    tables.get(tile.table).show(tile);
  }
  line(message.broker ? "live" : "broker");
  if (!drawing) requestAnimationFrame(arrange);
  drawing = true;
  if (message.results !== results) {
    results = message.results;
    clearTimeout(resultsTimer);
    // The random delay spreads the requests of all viewers.
    resultsTimer = setTimeout(() => showResults().catch((problem) => console.info(problem.message)), document.body.dataset.ready === undefined ? 0 : RESULTS_DELAY_MS * (1 + Math.random()));
  }
  document.body.dataset.ready = "";
}

// The large view of one table

function choose(name) {
  location.hash = name ? `table=${encodeURIComponent(name)}` : "";
}

function follow() {
  const before = chosen;
  const leaves = large.contains(document.activeElement);
  // Not decodeURIComponent, which throws if somebody has cut the address off within a letter.
  chosen = new URLSearchParams(location.hash.slice(1)).get("table") ?? "";
  shownLast = 0;
  showLarge();
  if (chosen && chosen !== before) large.querySelector("h2").focus();
  // What had the focus is hidden now.
  else if (leaves && large.hidden) tables.get(before)?.button.focus();
}

function showLarge() {
  const found = inLarge();
  const tile = found?.tile;
  shown = tile;
  large.hidden = !tile;
  for (const before of all.querySelectorAll('[aria-current="true"]')) before.removeAttribute("aria-current");
  found?.button.setAttribute("aria-current", "true");
  if (!tile) return;
  const now = standing(tile);
  large.dataset.kind = now.kind;
  large.querySelector("h2").textContent = tile.table;
  $("#large-status").textContent = bound(`${sentence(now.title)} ${now.text}`);
  board.setView(pref("view"), 0);
  large.querySelector(".table").dataset.view = pref("view");
  board.show(tile.prompt?.move ? raised(tile.position, tile.prompt.move, letterOf(tile.to_move)) : tile.position);
  board.mark({ last: tile.last_move, wrong: tile.alert?.squares, prompt: tile.prompt });
  showPlayers(large.querySelector(".table"), tile, 0);
  clocks.show(tile.clock);
  for (const link of large.querySelectorAll("[data-export]")) link.href = `/api/tables/${encodeURIComponent(tile.table)}/games/${tile.game}/export?format=${link.dataset.export}`;
  if (shownLast !== tile.last) {
    shownLast = tile.last;
    showMoves(tile.table).catch((problem) => console.info(problem.message));
  }
}

/** Begins requests of one kind. Answers may arrive in another order, so each can ask whether it is still the last. */
function requests() {
  let last = 0;
  return () => {
    const own = (last += 1);
    return () => own === last;
  };
}

const requestMoves = requests();
const requestResults = requests();

async function showMoves(name) {
  const isLast = requestMoves();
  const answer = await fetch(`/api/tables/${encodeURIComponent(name)}`, { cache: "no-store" });
  // If the answer is not ok, the game's first events have not arrived yet.
  const game = answer.ok ? await answer.json() : { moves: [] };
  if (isLast() && name === inLarge()?.name) moves.show(game);
}

// Results and standings

const people = (game) => game.order.map((colour) => h("span", { class: "who" }, token(LETTERS[colour]), playerName(game, colour), h("b", {}, String(game.points[colour] ?? 0))));

async function showResults() {
  const isLast = requestResults();
  const answer = await fetch("/api/results", { cache: "no-store" });
  if (!answer.ok) return;
  const { games, standings, matches } = await answer.json();
  if (!isLast()) return;
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

// The connection to the host

function open() {
  const source = new EventSource("/api/events");
  source.addEventListener("tables", (event) => take(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) line("connecting");
    else ask().catch(() => line("off")).finally(() => setTimeout(open, RECONNECT_MS * (1 + Math.random())));
  });
}

/** If no stream is available (too many viewers, or the host is down): poll once, then try for a stream again. */
async function ask() {
  const answer = await fetch("/api/tables", { cache: "no-store" });
  if (!answer.ok) throw new Error(`tables: ${answer.status}`);
  const message = await answer.json();
  const names = new Set(message.tables.map((tile) => tile.table));
  take({ ...message, results: NaN, gone: [...tables.keys()].filter((name) => !names.has(name)) });
}

const listen = $("#listen");
const updateListen = () => (listen.hidden = pref("sound") !== "off");
listen.addEventListener("click", () => {
  setPref("sound", "tones");
  $("#settings").elements.namedItem("sound").value = "tones";
  updateListen();
  sound("alert", "");
});
tie($("#settings"), () => {
  updateListen();
  showLarge();
});
$("#back-to-all").addEventListener("click", () => choose(""));
document.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && choose(""));
addEventListener("hashchange", follow);
setInterval(() => {
  for (const { seen, clocks: faces } of tables.values()) if (seen && faces.clock?.running) faces.draw();
}, CLOCK_REFRESH_MS);
updateListen();
follow();
open();
