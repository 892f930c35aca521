// Small helpers to make elements; nothing is ever made from text, so that no name can become markup.

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
