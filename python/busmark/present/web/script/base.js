/* What the parts of the page's script share. Failures are kept on the root element, where tests and
   readers of bug reports find them. */
const root = document.documentElement;
const failures = [];
const fail = (message) => {
  failures.push(String(message));
  root.dataset.errors = failures.join("\n");
};
window.addEventListener("error", (event) => fail(event.message));
window.addEventListener("unhandledrejection", (event) => fail(event.reason));
document.addEventListener("securitypolicyviolation", (event) =>
  fail(`blocked: ${event.violatedDirective} ${event.blockedURI}`));

/* Data are parsed when they are first needed. */
const parsed = new Map();
const data = (id) => {
  if (!parsed.has(id)) {
    const element = document.getElementById(id);
    parsed.set(id, element ? JSON.parse(element.textContent) : null);
  }
  return parsed.get(id);
};

/* What is large is in the page compressed, as base64. */
const unpacked = async (id) => {
  const coded = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(coded.length);
  for (let at = 0; at < coded.length; at += 1) bytes[at] = coded.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
};

/* Details of cases and further rows of tables, as markup; `now` once they are loaded. */
const stored = (() => {
  let promise = null;
  const found = { now: null };
  found.load = () => (promise ??= unpacked("packed-stored").then((text) => (found.now = JSON.parse(text))));
  return found;
})();

/* An element with text in it: what comes from a result is never read as markup. */
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/* Every object in a specification, from the outside in, but for the rows of its tables. */
const walk = (value, visit) => {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value)) visit(value);
  for (const [name, inner] of Object.entries(value)) if (name !== "values") walk(inner, visit);
};

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/* A list of which some are shown at first, and more at a click: how many, and what to say below it. */
const STEP = 50;
const lengthened = (more, noun, show) => {
  const found = { limit: STEP };
  found.tell = (matching, all) => {
    const shown = Math.min(found.limit, matching);
    const parts = [];
    if (shown < matching) parts.push(`${grouped(shown)} of ${grouped(matching)} ${noun} shown`);
    if (matching < all) parts.push(`${grouped(matching)} of ${grouped(all)} ${noun} match the filter`);
    more.querySelector("span").textContent = parts.length ? `${parts.join("; ")}.` : "";
    for (const button of more.querySelectorAll("button")) button.hidden = shown >= matching;
    more.hidden = parts.length === 0;
  };
  for (const button of more.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      found.limit = button.dataset.all === undefined ? found.limit + 2 * STEP : Infinity;
      show();
    });
  }
  return found;
};
