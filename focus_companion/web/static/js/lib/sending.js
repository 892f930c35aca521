// Sends the viewer's requests to the host, with the PIN if required.

import { t } from "./texts.js";

async function post(address, body) {
  const answer = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const content = await answer.json().catch(() => ({}));
  return { ok: answer.ok, pin: content.pin === true, error: content.error ?? t("The host did not understand."), content };
}

/** Show a dialog; resolves to the value of the pressed button, "" if it was closed. */
export function ask(dialog) {
  return new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
    dialog.showModal();
  });
}

async function enterPin(why) {
  const dialog = document.querySelector("#pin");
  const field = dialog.querySelector("input");
  const note = dialog.querySelector(".note");
  note.textContent = why;
  for (;;) {
    field.value = "";
    if ((await ask(dialog)) !== "ok") return false;
    const answer = await post("/api/pin", { pin: field.value.trim() });
    if (answer.ok) return true;
    note.textContent = answer.error;
  }
}

/** Send `body`; asks for the PIN if required, and shows with `toast` why it is refused, and `meanwhile` while the host
 *  works on it. Resolves to the answer if it was accepted, else to null. */
export async function request(address, body, toast, meanwhile = "") {
  const sent = () => {
    if (meanwhile) toast(meanwhile);
    return post(address, body);
  };
  try {
    let answer = await sent();
    while (!answer.ok && answer.pin) {
      if (meanwhile) toast("");
      if (!(await enterPin(answer.error))) return null;
      answer = await sent();
    }
    if (!answer.ok) toast(answer.error);
    return answer.ok ? answer.content : null;
  } catch (problem) {
    console.info(problem.message);
    toast(t("The host does not answer. Try again when the page is live."));
    return null;
  }
}

/** The same; resolves to true if it was accepted. */
export const send = async (address, body, toast) => (await request(address, body, toast)) !== null;
