// The dialog for a new game: number of players, names and seats, who begins, rules and clock.

import { colourName } from "../board/names.js";
import { token } from "../board/pieces.js";
import { paceChoice, seatChoices } from "./seats.js";
import { playersOf } from "./state.js";
import { LETTERS, seatsOf, SIDES } from "../lib/squares.js";
import { h } from "../lib/svg.js";
import { t } from "../lib/texts.js";
import { ownName } from "./words.js";

const ORDER = ["green", "blue", "yellow", "red"];
const PLAYERS = { 2: ["green", "red"], 3: ["green", "blue", "red"], 4: ORDER };
const DEFAULT_SEATS = { 2: { green: 0, red: 2 }, 3: { green: 0, blue: 1, red: 3 }, 4: { green: 0, blue: 1, yellow: 2, red: 3 } };
/** Captures from each opponent and in total ("" for none) that win a fast game, by number of players. */
const FAST_DEFAULTS = { 2: [6, ""], 3: [3, 10], 4: [2, 10] };
const DEFAULT_SWITCHES = { fast: false, fast_own: "held", set_up: "pairs", reserve_on: "anywhere", stuck: "", thirteenth_piece: true, move_partner_stacks: false, table_talk: false };

const sideName = (side) => [t("bottom"), t("left"), t("top"), t("right")][side];

export class NewGame {
  constructor(dialog, acts, getState) {
    Object.assign(this, { dialog, acts, getState, form: dialog.querySelector("form"), lot: dialog.querySelector(".lot") });
    this.control = this.form.elements;
    this.control.players.addEventListener("change", () => this.fill(this.control.players.value));
    this.control.preset.addEventListener("change", () => this.preset());
    this.form.addEventListener("change", (event) => this.changed(event.target));
    // A browser can point only at a field that is visible.
    this.form.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true);
    dialog.querySelector("[data-lots]").addEventListener("click", () => this.draw());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin();
    });
    dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  }

  get partners() {
    return this.control.players.value.endsWith("p");
  }

  colours() {
    return PLAYERS[this.control.players.value[0]];
  }

  open() {
    const state = this.getState();
    this.opened = state;
    this.seats = null;
    this.form.querySelector(".pace").replaceChildren(t("A computer thinks"), " ", paceChoice("pace", state.pace));
    const rules = state.rules ?? {};
    const players = playersOf(state);
    this.fill(`${players.length}${rules.partners ? "p" : ""}`);
    this.set(state.start_from ? { ...rules, set_up: "position" } : rules.set_up === "position" ? { ...rules, set_up: "pairs" } : rules);
    const clock = state.clock;
    this.control.clock.value = clock?.kind ?? "";
    if (clock?.kind === "down") {
      this.control.minutes.value = Math.round(clock.seconds / 60);
      this.control.increment.value = clock.increment;
    }
    this.control.games.value = state.match?.length ?? 1;
    this.preset(this.fitting());
    this.shown();
    this.remember().catch((problem) => console.info(problem.message));
    this.dialog.showModal();
  }

  /** Offer the names of earlier games. */
  async remember() {
    const answer = await fetch("/api/names", { cache: "no-store" });
    const { names = [] } = answer.ok ? await answer.json() : {};
    this.dialog.querySelector("datalist").replaceChildren(...names.map((name) => h("option", { value: name })));
  }

  /** Show the rows and choices for this number of players, with the rules of the rule book. */
  fill(players) {
    this.control.players.value = players;
    const state = this.getState();
    const colours = this.colours();
    const typed = (colour) => this.control[`name-${colour}`]?.value ?? ownName(state, colour);
    const now = playersOf(state);
    const seats = now.length === colours.length ? seatsOf(now, state.players) : DEFAULT_SEATS[colours.length];
    const row = (colour) =>
      h(
        "div",
        // The choices are named the same for every player.
        { class: "person", role: "group", "aria-label": colourName(colour) },
        token(LETTERS[colour]),
        h("label", {}, h("span", {}, colourName(colour)), h("input", { name: `name-${colour}`, maxlength: 60, autocomplete: "off", list: "known-names", value: typed(colour) })),
        h("label", { class: "seat-of" }, h("span", {}, t("Seat")), h("select", { name: `seat-${colour}` }, ...SIDES.map((side, at) => h("option", { value: at, selected: at === seats[colour] ? "" : null }, sideName(at))))),
        this.sitting(colour),
      );
    this.form.querySelector(".names").replaceChildren(...colours.map(row));
    this.control.begins.replaceChildren(...colours.map((colour) => h("option", { value: colour }, colourName(colour))));
    if (now.length === colours.length && colours.includes(now[0])) this.control.begins.value = now[0];
    this.lot.textContent = "";
    this.forgetLot();
    this.set(DEFAULT_SWITCHES);
    this.preset(this.fitting());
    this.shown();
  }

  /** The choice of who plays this colour; kept while other choices change. */
  sitting(colour) {
    const kept = this.seats?.get(colour)?.kind() ?? this.getState().seats?.[colour];
    const choices = seatChoices("", colour, kept);
    this.seats = new Map([...(this.seats ?? []), [colour, choices]]);
    return h("div", { class: "sits" }, choices.who, choices.levels);
  }

  /** Set the form's controls from a rules object (with a record's keys). */
  set(rules) {
    const { control } = this;
    const [each, total] = FAST_DEFAULTS[this.colours().length];
    for (const name of ["fast", "move_partner_stacks", "table_talk"]) if (name in rules) control[name].checked = Boolean(rules[name]);
    for (const name of ["set_up", "reserve_on", "fast_own"]) if (name in rules) control[name].value = rules[name];
    // The checkbox stands for the exception: twelve pieces each.
    control.thirteenth_piece.checked = rules.thirteenth_piece === false;
    const usual = this.colours().length === 4 ? "pass" : "out";
    control.stuck.value = rules.stuck && rules.stuck !== usual ? rules.stuck : "";
    control.fast_each.value = (rules.fast && rules.fast_each) || each;
    control.fast_total.value = rules.fast && "fast_total" in rules ? (rules.fast_total ?? "") : total;
  }

  /** The preset whose rules equal those in the form, else "own". */
  fitting() {
    const mine = JSON.stringify(this.rules(true));
    const fitting = [...this.control.preset.options].filter((option) => option.dataset.settings && this.fits(option, mine));
    // A match may have any rules; a preset that also gives its length is preferred.
    const found = fitting.find((option) => option.dataset.games === this.control.games.value) ?? fitting.find((option) => option.dataset.games === "1");
    return found?.value ?? "own";
  }

  fits(option, mine) {
    const { players, partners, ...switches } = JSON.parse(option.dataset.settings);
    const count = this.colours().length;
    if ((players ?? count) !== count || Boolean(partners) !== this.partners) return false;
    return JSON.stringify(this.rules(true, switches)) === mine;
  }

  /** Without a name, apply the preset that was just chosen; with a name, only select that one. */
  preset(name) {
    const select = this.control.preset;
    if (name === undefined) {
      const { players, partners, ...switches } = JSON.parse(select.selectedOptions[0].dataset.settings ?? "{}");
      const wanted = partners ? "4p" : players ? String(players) : this.partners ? "4" : this.control.players.value;
      const chosen = select.value;
      if (chosen !== "own") {
        if (wanted !== this.control.players.value) this.fill(wanted);
        this.set(DEFAULT_SWITCHES);
        this.set(switches);
        this.control.games.value = select.querySelector(`[value="${chosen}"]`).dataset.games;
      }
      select.value = chosen;
    } else select.value = name;
    this.form.querySelector("#preset-text").textContent = select.selectedOptions[0].dataset.text;
    this.shown();
  }

  changed(control) {
    if (control.name.startsWith("seat-")) this.swapSeats(control);
    const own = ["games", "fast", "fast_each", "fast_total", "fast_own", "set_up", "reserve_on", "stuck", "thirteenth_piece", "move_partner_stacks", "table_talk"];
    if (own.includes(control.name)) this.preset(this.fitting());
    this.shown();
  }

  /** Two players cannot sit on one side: the one who sat there changes places. */
  swapSeats(chosen) {
    for (const colour of this.colours()) {
      const other = this.control[`seat-${colour}`];
      if (other !== chosen && other.value === chosen.value) other.value = this.sat[chosen.name];
    }
  }

  shown() {
    const count = String(this.colours().length);
    // Deselect what is impossible with this number of players.
    if (count !== "2" && ["checkerboard", "drop"].includes(this.control.set_up.value)) this.control.set_up.value = "pairs";
    for (const part of this.form.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(this.partners ? "p" : count);
    for (const part of this.form.querySelectorAll(".fast-only")) part.hidden ||= !this.control.fast.checked;
    for (const part of this.form.querySelectorAll(".down-only")) part.hidden = this.control.clock.value !== "down";
    // Partners sit opposite each other, in the order of the rule book.
    for (const part of this.form.querySelectorAll(".seat-of")) part.hidden = this.partners;
    this.form.querySelector(".pace").hidden = !this.colours().some((colour) => /^(companion|engine)/.test(this.seats?.get(colour).kind()));
    // A hidden field must not keep the form from being sent.
    for (const input of this.form.querySelectorAll("input[type=number]")) input.disabled = Boolean(input.closest("[hidden]"));
    this.sat = Object.fromEntries(this.colours().map((colour) => [`seat-${colour}`, this.control[`seat-${colour}`].value]));
  }

  /** The settings that differ from the rule book's, in the form or in a preset. */
  rules(switchesOnly = false, preset = null) {
    const { control } = this;
    const count = this.colours().length;
    const [each, total] = FAST_DEFAULTS[count];
    const value = (name) => {
      const laid = { ...DEFAULT_SWITCHES, fast_each: each, fast_total: total, ...preset };
      if (preset) return name === "thirteenth_piece" ? !laid[name] : laid[name];
      return control[name].type === "checkbox" ? control[name].checked : control[name].value;
    };
    const usual = count === 4 ? "pass" : "out";
    const rules = {};
    if (value("fast") && !this.partners) {
      rules.fast = true;
      if (Number(value("fast_each")) !== each) rules.fast_each = Number(value("fast_each"));
      if (count > 2 && String(value("fast_total")) !== String(total)) rules.fast_total = value("fast_total") === "" ? null : Number(value("fast_total"));
      if (count > 2 && value("fast_own") !== "held") rules.fast_own = value("fast_own");
    }
    if (count === 2 && value("set_up") !== "pairs" && (switchesOnly || value("set_up") !== "position")) rules.set_up = value("set_up");
    if (value("reserve_on") !== "anywhere") rules.reserve_on = value("reserve_on");
    if (count > 2 && value("stuck") && value("stuck") !== usual) rules.stuck = value("stuck");
    if (count === 3 && value("thirteenth_piece")) rules.thirteenth_piece = false;
    for (const name of ["move_partner_stacks", "table_talk"]) if (this.partners && value(name)) rules[name] = true;
    if (switchesOnly) return rules;
    return { players: count, order: this.order(), ...(this.partners ? { partners: true } : {}), ...rules };
  }

  /** The turn order: clockwise around the table from the player who begins. */
  order() {
    const seat = (colour) => (this.partners ? ORDER.indexOf(colour) : Number(this.control[`seat-${colour}`].value));
    const round = [...this.colours()].sort((a, b) => seat(a) - seat(b));
    const at = round.indexOf(this.control.begins.value);
    return [...round.slice(at), ...round.slice(0, at)];
  }

  /** Draw lots, every colour with the same probability, after an animation. */
  draw() {
    const { begins } = this.control;
    const count = begins.options.length;
    // 256 is not a multiple of three: some values are drawn again, so that no colour is favoured.
    const fair = 256 - (256 % count);
    const throwOne = () => {
      const thrown = crypto.getRandomValues(new Uint8Array(1))[0];
      return thrown < fair ? thrown % count : throwOne();
    };
    const drawn = throwOne();
    let steps = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : count * 2 + drawn;
    this.forgetLot();
    this.land = () => {
      this.forgetLot();
      begins.selectedIndex = drawn;
      const colour = begins.value;
      const named = this.control[`name-${colour}`].value.trim();
      const player = [named, colourName(colour)].filter(Boolean).join(", ");
      this.lot.textContent = t("The lot falls on {player}.", { player });
    };
    if (!steps) return this.land();
    this.timer = setInterval(() => {
      begins.selectedIndex = (begins.selectedIndex + 1) % count;
      steps -= 1;
      if (steps <= 0) this.land();
    }, 90);
    return undefined;
  }

  /** Stop the animation of a lot that has not fallen yet. */
  forgetLot() {
    clearInterval(this.timer);
    this.land = null;
  }

  clock() {
    const kind = this.control.clock.value;
    if (kind !== "down") return kind ? { kind } : null;
    return { kind, seconds: 60 * Number(this.control.minutes.value), increment: Number(this.control.increment.value) };
  }

  async begin() {
    const now = this.getState();
    if (this.opened.game !== now.game) {
      this.opened = now;
      this.acts.toast(t("Somebody has begun a game meanwhile. Press “Begin” again for another one."));
      return;
    }
    // Whoever does not wait for the animation begins with the player that was drawn, too.
    this.land?.();
    const players = {};
    const seats = {};
    const played_by = {};
    for (const colour of this.colours()) {
      played_by[colour] = this.seats.get(colour).kind();
      players[colour] = { name: this.control[`name-${colour}`].value };
      if (!this.partners) seats[colour] = SIDES[Number(this.control[`seat-${colour}`].value)];
    }
    const pace = Number(this.control.pace.value);
    if (await this.acts.sendAt(now, { act: "new_game", rules: this.rules(), ...(this.control.set_up.value === "position" ? { start_from: "camera" } : {}), players, seats, played_by, pace, clock: this.clock(), games: Number(this.control.games.value) })) this.dialog.close();
  }
}
