// A message that disappears by itself.

const SHOWN_MS = 6000;

let timer = 0;

/** Show the message in the page's `#toast`; "" hides the one that is shown. */
export function toast(text) {
  const box = document.querySelector("#toast");
  // While a modal dialog is open, only its own content is visible.
  (document.querySelector("dialog[open]") ?? document.body).append(box);
  box.hidden = !text;
  // Set once the box is shown, because screen readers announce what changes, not what appears.
  box.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (box.hidden = true), SHOWN_MS);
}
