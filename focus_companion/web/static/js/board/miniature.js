// A small board on a canvas: three hundred of them must be cheap to draw.

import { PAINT } from "./pieces.js";
import { SQUARES, stacksOf, viewPlace } from "../lib/squares.js";
import { h } from "../lib/svg.js";

const SQUARE_SIDE = 20; // in drawing units
const PIXEL_RATIO = 2; // canvas pixels per drawing unit

/** A canvas for a board; hidden from screen readers, because its content is in words beside it. */
export const miniature = () => h("canvas", { width: 8 * SQUARE_SIDE * PIXEL_RATIO, height: 8 * SQUARE_SIDE * PIXEL_RATIO, "aria-hidden": "true" });

function mark(pen, letter, x, y, size) {
  pen.fillStyle = PAINT[letter].mark;
  pen.beginPath();
  if (letter === "g") {
    pen.moveTo(x, y - size);
    pen.lineTo(x + size, y + size * 0.8);
    pen.lineTo(x - size, y + size * 0.8);
  } else if (letter === "b") pen.rect(x - size * 0.8, y - size * 0.8, size * 1.6, size * 1.6);
  else if (letter === "y") {
    pen.rect(x - size, y - size * 0.35, size * 2, size * 0.7);
    pen.rect(x - size * 0.35, y - size, size * 0.7, size * 2);
  } else pen.arc(x, y, size * 0.85, 0, 7);
  pen.fill();
}

/** Draw the position on a canvas: the top piece of every stack with its colour's shape, and the stack's height. */
export function draw(canvas, position, wrong) {
  const pen = canvas.getContext("2d");
  pen.setTransform(PIXEL_RATIO, 0, 0, PIXEL_RATIO, 0, 0);
  pen.clearRect(0, 0, 8 * SQUARE_SIDE, 8 * SQUARE_SIDE);
  const stacks = stacksOf(position);
  for (const square of SQUARES) {
    const [column, row] = viewPlace(square, 0);
    const [x, y] = [column * SQUARE_SIDE, row * SQUARE_SIDE];
    pen.fillStyle = "#34454f";
    pen.fillRect(x + 0.5, y + 0.5, SQUARE_SIDE - 1, SQUARE_SIDE - 1);
    const stack = stacks[square];
    if (stack) {
      const letter = stack.at(-1);
      const paint = PAINT[letter];
      if (paint) {
        pen.fillStyle = paint.top;
        pen.strokeStyle = "#0b1115";
        pen.lineWidth = 1;
        pen.beginPath();
        pen.arc(x + SQUARE_SIDE / 2 - 1, y + SQUARE_SIDE / 2, 7.4, 0, 7);
        pen.fill();
        pen.stroke();
        mark(pen, letter, x + SQUARE_SIDE / 2 - 1, y + SQUARE_SIDE / 2, 3.2);
      }
      if (stack.length > 1) {
        pen.font = "700 8.500px system-ui, sans-serif";
        pen.textAlign = "right";
        pen.lineWidth = 2.5;
        pen.strokeStyle = "#0b1115";
        pen.strokeText(String(stack.length), x + SQUARE_SIDE - 1, y + SQUARE_SIDE - 2);
        pen.fillStyle = "#fff";
        pen.fillText(String(stack.length), x + SQUARE_SIDE - 1, y + SQUARE_SIDE - 2);
      }
    }
    if (wrong?.includes(square)) {
      pen.lineWidth = 2;
      pen.strokeStyle = "#ff7a5c";
      pen.strokeRect(x + 1.5, y + 1.5, SQUARE_SIDE - 3, SQUARE_SIDE - 3);
    }
  }
}
