// The target of a far seat's link: the word is redeemed when the reader presses the button, not by a link preview.

import { loadTexts, t } from "../lib/texts.js";

await loadTexts(document.body.dataset.texts);

const note = document.querySelector("#seat-note");
const button = document.querySelector("#sit");

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const answer = await fetch("/api/seat", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ word: location.hash.slice(1) }) });
    if (answer.ok) return location.replace("/");
    note.textContent = (await answer.json()).error;
  } catch (problem) {
    console.info(problem.message);
    note.textContent = t("The host does not answer. Try again when the page is live.");
  }
  button.disabled = false;
  return undefined;
});

document.body.dataset.ready = "";
