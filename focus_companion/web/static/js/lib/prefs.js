// This viewer's settings, stored in the browser: view, side, theme, sound, vibration.

const DEFAULTS = { view: "tilted", turn: "0", theme: "auto", sound: "off", vibration: "on" };

function read(name) {
  try {
    return localStorage.getItem(`focus.${name}`) ?? DEFAULTS[name];
  } catch (problem) {
    // A browser may forbid storage; then the setting lasts as long as the page.
    console.info(problem.message);
    return DEFAULTS[name];
  }
}

const chosen = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, read(name)]));

export const pref = (name) => chosen[name];

export function setPref(name, value) {
  chosen[name] = value;
  try {
    localStorage.setItem(`focus.${name}`, value);
  } catch (problem) {
    console.info(problem.message);
  }
}

/** Bind a form to the settings: every control is named after one. Calls `onChange(name, value)`. */
export function tie(form, onChange) {
  for (const [name, value] of Object.entries(chosen)) {
    const control = form.elements.namedItem(name);
    if (control) control.value = value;
  }
  form.addEventListener("change", (event) => {
    const { name, value } = event.target;
    if (!(name in DEFAULTS)) return;
    setPref(name, value);
    // boot.js, which runs before anything is drawn, knows the device's preference.
    if (name === "theme") dispatchEvent(new CustomEvent("focus-theme", { detail: value }));
    onChange(name, value);
  });
}
