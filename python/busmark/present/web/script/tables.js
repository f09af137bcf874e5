/* Tables that sort and filter. Only some rows are in the page as it is opened; the others are stored
   as markup, in which all text is escaped already. */
const startTable = (section) => {
  const table = section.querySelector("table");
  const body = table.tBodies[0];
  const HEADING = /^<tr class="group">.*?<\/tr>/;
  let rows = null;
  let order = null;

  /* Rows without the headings of their groups, which are put between them again. */
  const load = async () => {
    rows ??= [...[...body.rows].filter((row) => !row.classList.contains("group"))
      .map((row) => row.outerHTML), ...(await stored.load()).rows[section.id] ?? []]
      .map((markup) => markup.replace(HEADING, "")).map((markup) => ({
        markup, number: Number(/data-n="(\d+)"/.exec(markup)?.[1] ?? -1),
        group: /data-group="([^"]*)"/.exec(markup)[1], keys: null,
      }));
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

  const heading = (group) => {
    const { cells } = table.tHead.rows[table.tHead.rows.length - 1];
    return `<tr class="group"><th scope="colgroup" colspan="${cells.length}">${group}</th></tr>`;
  };

  const withHeadings = (shown) => shown.map(({ markup, group }, place) => {
    const begins = group && !order && shown[place - 1]?.group !== group;
    return begins ? heading(group) + markup : markup;
  });

  const show = async () => {
    await load();
    let shown = rows.filter(({ number }) => number < 0 || filter.keeps(number));
    if (order) shown = [...shown].sort(compare(order));
    body.innerHTML = withHeadings(shown.slice(0, length.limit)).join("");
    overlay.offer(body);
    table.classList.toggle("sorted", order !== null);
    length.tell(shown.length, rows.length);
  };
  const length = lengthened(section.querySelector("p.more"), "rows", () => show().catch(fail));

  const sortBy = (button) => {
    const head = button.closest("th");
    const ascending = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    order = { column: Number(button.dataset.column), ascending };
    show().catch(fail);
  };

  for (const button of table.querySelectorAll("thead button")) {
    button.addEventListener("click", () => sortBy(button));
  }
  filter.onChange(() => show().catch(fail));
  return async () => {
    if (filter.active()) return show();
    await load();
    overlay.offer(body);
    return length.tell(rows.length, rows.length);
  };
};
