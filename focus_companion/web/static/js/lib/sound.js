// Short tones and, if the browser can speak, words; both only if the viewer has switched them on.

import { pref } from "./prefs.js";

let context = null;

function tone(frequency, start, length) {
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  oscillator.frequency.value = frequency;
  const at = context.currentTime + start;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(0.18, at + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

const TUNES = {
  move: [[520, 0, 0.12]],
  alert: [[330, 0, 0.2], [247, 0.22, 0.32]],
  prompt: [[440, 0, 0.14], [587, 0.16, 0.2]],
  time_up: [[392, 0, 0.3], [392, 0.4, 0.3]],
  result: [[523, 0, 0.16], [659, 0.16, 0.16], [784, 0.32, 0.4]],
};

const SHAKES = { alert: [120, 80, 120], prompt: [80], time_up: [200] };

// Browsers let a page make sounds only after somebody has touched it.
for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => context?.state === "suspended" && context.resume());

function play(type) {
  context ??= new AudioContext();
  for (const [frequency, start, length] of TUNES[type]) tone(frequency, start, length);
}

/** Sound for an event; `words` are spoken too. */
export function sound(type, words = "") {
  const shake = pref("vibration") === "on" && SHAKES[type];
  if (shake && "vibrate" in navigator && navigator.userActivation?.hasBeenActive) navigator.vibrate(shake);
  if (pref("sound") === "off" || !(type in TUNES)) return;
  play(type);
  if (words && pref("sound") === "speech") speak(words);
}

/** Play a sample of what was just switched on. */
export function sample() {
  if (pref("sound") !== "off") play("move");
}

function speak(words) {
  if (!("speechSynthesis" in window)) return;
  const spoken = new SpeechSynthesisUtterance(words);
  spoken.lang = document.documentElement.lang;
  speechSynthesis.cancel();
  speechSynthesis.speak(spoken);
}
