// After a win the winners' pieces rain down over the page, unless the viewer prefers reduced motion.

import { token } from "./pieces.js";
import { h } from "../lib/svg.js";

const PIECE_COUNT = 42;
const FALL_MS = 3200;

/** Let pieces of the winners' colours (`letters`) rain down. */
export function celebrate(letters) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const rain = h("div", { class: "rain", "aria-hidden": "true" });
  document.body.append(rain);
  const falls = Array.from({ length: PIECE_COUNT }, (_, at) => {
    const piece = token(letters[at % letters.length]);
    rain.append(piece);
    const [left, spin] = [Math.random() * 100, (Math.random() - 0.5) * 1080];
    const frames = { transform: [`translate(${left}vw, -12vh) rotate(0deg)`, `translate(${left + (Math.random() - 0.5) * 24}vw, 112vh) rotate(${spin}deg)`] };
    return piece.animate(frames, { duration: FALL_MS * (0.6 + Math.random() * 0.4), delay: Math.random() * 900, easing: "cubic-bezier(.3, .1, .7, 1)", fill: "both" }).finished;
  });
  Promise.allSettled(falls).then(() => rain.remove());
}
