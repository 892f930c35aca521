// Who plays which colour: the choices for a seat, and the card that changes them in the middle of a game.

import { token } from "../board/pieces.js";
import { playersOf } from "./state.js";
import { LETTERS } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { t } from "../lib/texts.js";
import { colourName } from "../board/names.js";
import { playerName } from "./words.js";

/** Milliseconds between two checks whether a link on the page has been used, for which there is no event. */
const LINK_CHECK_MS = 3000;
const BEST_LEVEL = 8;
const PACES = [1, 5, 20];

const option = (value, text, chosen) => h("option", { value, selected: String(value) === String(chosen) ? "" : null }, text);

const levelName = (level) => ({ 1: t("Level 1, the easiest"), [BEST_LEVEL]: t("Level {level}, its best", { level }) })[level] ?? t("Level {level}", { level });

/** The choices for one seat: who plays, and a computer's level. `name` is the prefix of the controls' names. */
export function seatChoices(name, colour, kind = "board") {
  const [by, level] = kind.split(":");
  const player = colourName(colour);
  const kinds = [["board", t("At the table")], ["companion", t("The computer")], ["far", t("Somebody far away")]];
  // A program or another table can be named only when the host is started; here it can only be kept.
  const named = { engine: t("A program"), table: t("Another table") }[by];
  if (named) kinds.push([kind, named]);
  const who = h("select", { name: `${name}by-${colour}`, "aria-label": t("Who plays {player}?", { player }) }, ...kinds.map(([value, text]) => option(value, text, named ? kind : by)));
  const levels = h("select", { name: `${name}level-${colour}`, "aria-label": t("Level of {player}", { player }) }, ...Array.from({ length: BEST_LEVEL }, (_, at) => option(at + 1, levelName(at + 1), by === "companion" ? (level ?? BEST_LEVEL) : BEST_LEVEL)));
  const show = () => (levels.hidden = who.value !== "companion");
  who.addEventListener("change", show);
  show();
  return { who, levels, kind: () => (who.value === "companion" ? `companion:${levels.value}` : who.value) };
}

/** How long a computer may think. */
export const paceChoice = (name, pace) => h("select", { name }, ...PACES.map((seconds) => option(seconds, t("at most {n} s", { n: seconds }), pace ?? PACES[0])));

export class Seats {
  constructor(element, getState, send) {
    Object.assign(this, { element, getState, send, shown: "", chosen: false, told: {} });
    element.addEventListener("change", (event) => this.changed(event.target));
    for (const touch of ["keydown", "pointerdown"]) element.addEventListener(touch, () => (this.chosen = false));
    element.closest("details").addEventListener("toggle", () => this.follow(this.getState()));
    setInterval(() => !document.hidden && element.querySelector(".far-link") && this.follow(this.getState()), LINK_CHECK_MS);
  }

  /** Show the present seats, unless the card is closed or somebody is choosing in it. The focus stays where it is. */
  async follow(state) {
    if (!state.seats || !this.element.closest("details").open) return;
    const links = await this.links(state);
    const key = JSON.stringify([state.seats, state.pace, links]);
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    if (key === this.shown || (focused?.matches("select") && !this.chosen)) return;
    this.shown = key;
    this.rows = new Map(playersOf(state).map((colour) => [colour, seatChoices("", colour, state.seats[colour])]));
    const thinks = Object.values(state.seats).some((kind) => /^(companion|engine)/.test(kind));
    this.element.replaceChildren(
      ...[...this.rows].map(([colour, { who, levels }]) => h("div", { class: "sitting" }, token(LETTERS[colour]), h("b", {}, playerName(state, colour)), who, levels, this.link(colour, links))),
      ...(thinks ? [h("label", {}, t("A computer thinks"), " ", paceChoice("pace", state.pace))] : []),
    );
    if (focused) this.element.querySelector(`[name="${focused.name}"]`)?.focus({ preventScroll: true });
  }

  /** The links of the far seats, for viewers who may act; the last known ones if the host does not answer. */
  async links(state) {
    if (!Object.values(state.seats).includes("far")) return {};
    try {
      const answer = await fetch("/api/far", { cache: "no-store" });
      if (answer.ok) this.told = (await answer.json()).links;
    } catch (problem) {
      console.info(problem.message);
    }
    return this.told;
  }

  link(colour, links) {
    if (!(colour in links)) return "";
    if (links[colour] === null) return h("button", { type: "button", class: "quiet-button", name: `link-${colour}`, on: { click: () => this.renew(colour) } }, t("New link"));
    const address = new URL(links[colour], document.querySelector(".share a")?.href ?? location.origin).href;
    return h("label", { class: "far-link" }, t("Link for one browser"), h("input", { readonly: "", name: `link-${colour}`, value: address, on: { focus: (event) => event.target.select() } }));
  }

  async renew(colour) {
    if (await this.send({ player: colour }, "/api/far")) await this.follow(this.getState());
  }

  async changed(control) {
    const state = this.getState();
    const colour = control.name.split("-")[1] ?? playersOf(state).find((one) => /^(companion|engine)/.test(state.seats[one]));
    const pace = Number(this.element.querySelector("[name=pace]")?.value ?? state.pace);
    this.chosen = true;
    this.shown = "";
    if (colour) await this.send({ act: "seat", player: colour, kind: this.rows.get(colour).kind(), pace });
    await this.follow(this.getState());
  }
}
