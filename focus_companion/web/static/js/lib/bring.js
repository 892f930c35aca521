// Fetches what a first view does without: the second script, its style, the dialogs and the rest of the words.

import { h } from "./svg.js";
import { loadTexts } from "./texts.js";

/** A style sheet beside this script; as good as there when the promise is kept. */
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

/** All of it; whoever did not get it may ask again. Gives what later.js gives. */
export async function bring() {
  const { dialogs: address, more } = document.body.dataset;
  // A script that did not come is never asked for again by the same name.
  const script = tries ? `./later.js?${tries}` : "./later.js";
  tries += 1;
  const [{ later }, made] = await Promise.all([import(script), dialogs(address), sheet("later.css"), loadTexts(more)]);
  document.body.insertAdjacentHTML("beforeend", made);
  return later;
}
