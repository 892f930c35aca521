// Helpers to create and order elements; nothing is parsed from text, so that no name can become markup.

const NS = "http://www.w3.org/2000/svg";

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An SVG element. */
export const s = (name, attributes = {}, ...children) => dress(document.createElementNS(NS, name), attributes, children);

/** An HTML element. */
export const h = (name, attributes = {}, ...children) => dress(document.createElement(name), attributes, children);

/** Put the children of `list` into this order, moving only those out of place, so that the focus is kept. */
export function inOrder(list, elements) {
  const wanted = new Set(elements);
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
  const focus = document.activeElement;
  elements.forEach((element, index) => {
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  });
  if (focus !== document.activeElement && list.contains(focus)) focus.focus({ preventScroll: true });
}
