/* Tables that sort and filter. Only some rows are in the document; all are kept as markup, which the
   page's template wrote and in which all text is escaped already. */
const STEP = 50;

const startTable = (section) => {
  const table = section.querySelector("table");
  const body = table.tBodies[0];
  const more = section.querySelector(".more");
  const rest = data(`rows-${section.id}`) ?? [];
  const total = body.rows.length + rest.length;
  let rows = null;
  let limit = STEP;
  let order = null;

  const all = () => {
    rows ??= [...[...body.rows].map((row) => row.outerHTML), ...rest].map((markup) => ({
      markup, number: Number(/data-n="(\d+)"/.exec(markup)[1]), keys: null,
    }));
    return rows;
  };

  const key = (row, column) => {
    row.keys ??= [...row.markup.matchAll(/data-sort="([^"]*)"/g)].map((match) => match[1]);
    return row.keys[column];
  };

  const compare = ({ column, ascending }) => (a, b) => {
    const [x, y] = [key(a, column), key(b, column)];
    if (x === "" || y === "") return (x === "") - (y === "");
    const numeric = Number(x) - Number(y);
    const result = Number.isNaN(numeric) ? x.localeCompare(y, "en", { numeric: true }) : numeric;
    return ascending ? result : -result;
  };

  const show = () => {
    let shown = all().filter((row) => filter.keeps(row.number));
    if (order) shown = [...shown].sort(compare(order));
    body.innerHTML = shown.slice(0, limit).map((row) => row.markup).join("");
    table.classList.toggle("sorted", order !== null);
    tell(shown.length);
  };

  const tell = (matching) => {
    const shown = Math.min(limit, matching);
    const parts = [];
    if (shown < matching) parts.push(`${grouped(shown)} of ${grouped(matching)} rows shown`);
    if (matching < total) parts.push(`${grouped(matching)} of ${grouped(total)} rows match the filter`);
    more.querySelector("span").textContent = parts.length ? `${parts.join("; ")}.` : "";
    for (const button of more.querySelectorAll("button")) button.hidden = shown >= matching;
    more.hidden = parts.length === 0;
  };

  const sortBy = (button) => {
    const heading = button.closest("th");
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    order = { column: Number(button.dataset.column), ascending };
    show();
  };

  for (const button of table.querySelectorAll("thead button")) {
    button.addEventListener("click", () => sortBy(button));
  }
  for (const button of more.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      limit = button.dataset.all === undefined ? limit + 2 * STEP : Infinity;
      show();
    });
  }
  filter.onChange(show);
  if (filter.active()) show(); else tell(total);
};
