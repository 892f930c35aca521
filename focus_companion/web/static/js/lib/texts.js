// The page's texts in the viewer's language. Keys are the English texts; catalogues come from gettext.

const language = document.documentElement.lang || "en";
// The texts are in British English: "a, b and c", the day before the month.
const region = language === "en" ? "en-GB" : language;
const plurals = new Intl.PluralRules(language);
// The index of gettext's plural form by CLDR category, for the page's languages.
const forms = { pl: { one: 0, few: 1, many: 2, other: 2 } }[language] ?? { one: 0 };
const catalogue = {};

/** Add the texts at the address; English needs no texts, and so has no address. */
export async function loadTexts(address) {
  if (!address) return;
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`no texts at ${address}: ${answer.status}`);
  addTexts(await answer.json());
}

/** Add texts that are embedded in the page. */
export function addTexts(found) {
  Object.assign(catalogue, found);
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A text with {names} filled in. */
export function t(text, values = {}) {
  return fill(catalogue[text] || text, values);
}

/** A text that depends on the number n, which it may show as {n}. */
export function tn(one, many, n, values = {}) {
  const found = catalogue[one];
  const form = forms[plurals.select(n)] ?? 1;
  const text = Array.isArray(found) ? found[form] || found.at(-1) : n === 1 ? one : many;
  return fill(text || many, { n, ...values });
}

/** A text with a capital first letter. */
export const sentenceCase = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

/** A fraction, as "52%". */
export const percent = (share) => new Intl.NumberFormat(region, { style: "percent" }).format(share);

/** "a, b and c" in the viewer's language. */
export function list(items) {
  return new Intl.ListFormat(region, { type: "conjunction" }).format(items);
}

/** A date in the viewer's language; an invalid one unchanged. */
export function date(text) {
  const day = new Date(text);
  // JavaScript takes 2026-11-20 for midnight in UTC, which in America is the day before.
  const timeZone = /^\d{4}-\d\d-\d\d$/.test(text) ? "UTC" : undefined;
  return Number.isNaN(day.getTime()) ? String(text) : new Intl.DateTimeFormat(region, { dateStyle: "medium", timeZone }).format(day);
}

/** A date and time in the viewer's language and time zone; an invalid one unchanged. */
export function moment(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? String(text) : new Intl.DateTimeFormat(region, { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** The duration between two times, in hours and minutes; "" for less than a minute. */
export function duration(from, to) {
  const minutes = Math.floor((new Date(to) - new Date(from)) / 60000);
  const part = (value, unit) => (value > 0 ? new Intl.NumberFormat(region, { style: "unit", unit }).format(value) : "");
  return [part(Math.floor(minutes / 60), "hour"), part(minutes % 60, "minute")].filter(Boolean).join(" ");
}

/** A text with non-breaking spaces: no line ends with a number or a single letter, none begins with a square or a dash. */
export const bound = (text) =>
  text
    .replace(/(\d) (?=\p{L})/gu, "$1\u00a0")
    .replace(/(^|[\s(])(\p{L}) (?=\S)/gu, "$1$2\u00a0")
    .replace(/(\p{L}) (?=[a-h][1-8](?!\p{L}|\d))/gu, "$1\u00a0")
    .replaceAll(" – ", "\u00a0– ");
