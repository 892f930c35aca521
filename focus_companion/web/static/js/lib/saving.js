// Saves a game as a file. A browser that follows such a link says only that the download failed, so the page fetches
// the file itself and shows the host's reason.

import { h } from "./svg.js";
import { t } from "./texts.js";

const FILMS = new Set(["gif", "mp4"]);
const KEPT_MS = 60000; // how long a browser may take to save the file

/** From now on, links to a game in any format save it; `toast(text)` tells why it cannot be saved. */
export function saving(toast) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-export], a[data-format]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    save(link, toast).catch((problem) => {
      console.info(problem.message);
      toast(t("The host does not answer. Try again when the page is live."));
    });
  });
}

async function save(link, toast) {
  if (link.ariaBusy) return;
  link.ariaBusy = "true";
  if (FILMS.has(link.dataset.export)) toast(t("The film is being made …"));
  try {
    const answer = await fetch(link.href, { cache: "no-store" });
    if (!answer.ok) {
      const said = await answer.json().catch(() => ({}));
      toast(said.error ?? t("The host did not understand."));
      return;
    }
    const [, name = ""] = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") ?? "") ?? [];
    const address = URL.createObjectURL(await answer.blob());
    h("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
  } finally {
    link.ariaBusy = null;
  }
}
