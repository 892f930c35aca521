// A report of the last fault: all of it is shown first, and it is saved as a file only if the viewer agrees. Nothing is sent.

import { ask, request } from "../lib/sending.js";
import { h } from "../lib/svg.js";
import { t } from "../lib/texts.js";
import { alertText } from "./words.js";

export class Report {
  /** `nowOf()` returns the state that the report is about; `toast(text)` reports errors. */
  constructor(dialog, nowOf, toast) {
    Object.assign(this, { dialog, nowOf, toast, agreed: dialog.querySelector("[name=agreed]"), save: dialog.querySelector("[value=save]") });
    this.agreed.addEventListener("change", () => (this.save.disabled = !this.agreed.checked));
  }

  async open() {
    const made = await request("/api/report", {}, this.toast);
    if (!made) return;
    const at = `/api/report/${made.report}/`;
    const names = made.parts.map((part) => part.name);
    this.dialog.querySelector(".what").textContent = this.about(made.fault);
    this.dialog.querySelector(".pictures").replaceChildren(...names.filter((name) => name.endsWith(".png")).sort().map((name) => this.picture(at, name)));
    const texts = await Promise.all(names.filter((name) => !name.endsWith(".png")).map((name) => this.text(at, name)));
    this.dialog.querySelector(".texts").replaceChildren(...texts);
    this.agreed.checked = false;
    this.save.disabled = true;
    if ((await ask(this.dialog)) === "save") h("a", { href: `${at}focus-companion-report.zip`, download: "" }).click();
  }

  /** What the report is about, in words. */
  about(fault) {
    if (fault.type === "alert") return t("The last alert: {alert}", { alert: alertText(this.nowOf(), fault) });
    if (fault.type === "unclear") return t("The last question: which turn it was.");
    if (fault.type) return t("The last time at which the board was not seen, or differed from the game.");
    return t("Nothing was alerted or asked in this game: the report shows how things stand now.");
  }

  picture(at, name) {
    const words = name === "fault.png" ? t("The picture that it is about") : t("The last picture before it in which all was well");
    return h("figure", {}, h("img", { src: at + name, alt: words }), h("figcaption", {}, words));
  }

  async text(at, name) {
    const words = name === "events.jsonl" ? t("What the program said, without names") : t("The rules and the program’s version");
    const answer = await fetch(at + name, { cache: "no-store" });
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return h("details", {}, h("summary", {}, words), h("pre", { tabindex: "0" }, await answer.text()));
  }
}
