// Loads what the first view does not need: the second script, its style sheet, the dialogs and the other texts.

import { h } from "./svg.js";
import { loadTexts } from "./texts.js";

/** Load a style sheet from the folder of this script; resolves when it is applied. */
function sheet(name) {
  return new Promise((resolve, reject) => {
    const link = h("link", { rel: "stylesheet", href: new URL(name, import.meta.url) });
    link.addEventListener("load", resolve, { once: true });
    link.addEventListener("error", () => reject(new Error(`no ${name}`)), { once: true });
    link.addEventListener("error", () => link.remove());
    document.head.append(link);
  });
}

async function dialogs(address) {
  if (!address) return "";
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`no dialogs: ${answer.status}`);
  return answer.text();
}

let tries = 0;

/** Load all of it; may be called again after a failure. Resolves to the exports of later.js. */
export async function bring() {
  const { dialogs: address, more } = document.body.dataset;
  // Browsers never request a script that failed to load again under the same address.
  const script = tries ? `./later.js?${tries}` : "./later.js";
  tries += 1;
  const [{ later }, made] = await Promise.all([import(script), dialogs(address), sheet("later.css"), loadTexts(more)]);
  document.body.insertAdjacentHTML("beforeend", made);
  return later;
}
