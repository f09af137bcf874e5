/* The list of cases. An entry is made when it is shown, its details when it is opened. */
const caseList = (() => {
  const list = document.getElementById("case-list");
  const more = document.querySelector("#cases .more");
  const { cases } = data("data-cases");
  let limit = 50;

  const table = (block) => make("div", { class: "block" },
    make("h4", {}, block.title),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${block.title}` },
      make("table", {},
        make("thead", {}, make("tr", {}, ...block.heads.map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", {}, ...block.rows.map((row) => make("tr", {}, ...row.map((cell, place) =>
          (place ? make("td", {}, cell) : make("th", { scope: "row" }, cell)))))))),
    ...(block.note ? [make("p", { class: "note" }, block.note)] : []));

  /* An element of a picture; a place on the axis is between 0 and 100. */
  const drawn = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  const chart = ({ title, ends, rows, note }) => {
    const [left, width, step] = [40, 350, 20];
    const x = (place) => left + (place / 100) * width;
    const bottom = rows.length * step + 4;
    const svg = drawn("svg", { viewBox: `0 0 ${left + width + 20} ${bottom + 20}`, role: "img",
      "aria-label": `${title}: ${rows.map((row) => row[4]).join("; ")}` });
    svg.append(drawn("line", { class: "axis", x1: x(0), x2: x(100), y1: bottom, y2: bottom }));
    ends.forEach((end, place) => svg.append(drawn("text", { x: x(place * 100), y: bottom + 15,
      "text-anchor": place ? "end" : "start" }, end)));
    rows.forEach(([name, low, middle, high, told], number) => {
      const y = number * step + step / 2;
      const group = drawn("g", {}, drawn("title", {}, told),
        drawn("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, name));
      const end = high ?? middle;
      if (low !== null && end > low) group.append(drawn("line", { x1: x(low), x2: x(end), y1: y, y2: y }));
      group.append(drawn("circle", { cx: x(middle), cy: y, r: 4 }));
      svg.append(group);
    });
    return make("figure", { class: "rounds" }, make("h4", {}, title), svg, make("figcaption", {}, note));
  };

  const files = (known) => {
    const paragraph = make("p", { class: "note files" }, "Raw data: ");
    known.forEach(([name, target], place) => {
      if (place) paragraph.append(", ");
      paragraph.append(target ? make("a", { href: target }, name) : name);
    });
    return paragraph;
  };

  const fold = (name, told, ...content) => make("details", { class: "fold" },
    make("summary", {}, make("span", { class: "name" }, name), " ",
      make("span", { class: "muted" }, told)), ...content);

  /* What is seldom read: each group in a fold that says what is in it. */
  const folds = (blocks) => [...new Set(blocks.map((block) => block.group))].map((name) => {
    const own = blocks.filter((block) => block.group === name);
    const titles = own.map((block) => block.title).filter((title) => title !== name);
    return fold(name, titles.join(", "), make("div", { class: "blocks" }, ...own.map(table)));
  });

  const fill = (element, entry) => {
    if (element.dataset.filled !== undefined) return;
    element.dataset.filled = "";
    const known = data("data-details")[entry.id];
    if (entry.reason) {
      element.append(make("p", {}, make("strong", {}, `${entry.status}: `), entry.reason));
    }
    if (!known) {
      element.append(make("p", { class: "note" }, document.getElementById("cases").dataset.without));
      return;
    }
    if (known.findings.length) {
      element.append(make("ul", { class: "flagged" }, ...known.findings.map(
        ([mark, severity, target, title, evidence]) => make("li", {}, make("a",
          { class: `flag is-${severity}`, href: `#${target}` }, mark),
        ` ${severity}: ${title}${evidence ? `: ${evidence}` : ""}`))));
    }
    if (known.floor) {
      const paragraph = make("p", { class: "note" }, "Floor: ",
        make("a", { href: `#${known.floor.anchor}` }, known.floor.id));
      if (known.floor.differs) paragraph.append(`, which differs in ${known.floor.differs}`);
      element.append(paragraph);
    }
    /* The picture of the rounds comes first; what is as small as a line stands below it. */
    const seen = known.blocks.filter((block) => !block.group);
    const small = (block) => known.chart && block.rows.length === 1 && block.heads.length <= 3;
    const first = known.chart
      ? [make("div", {}, chart(known.chart), ...seen.filter(small).map(table))] : [];
    element.append(make("div", { class: "blocks" }, ...first,
      ...seen.filter((block) => !small(block)).map(table)));
    element.append(...folds(known.blocks.filter((block) => block.group)));
    element.append(fold("Parameters", `${known.params.length}`, make("dl", { class: "params" },
      ...known.params.map(([name, value]) =>
        make("div", {}, make("dt", {}, name), make("dd", {}, value))))));
    if (known.files.length) element.append(files(known.files));
  };

  const built = new Map();
  const entryOf = (entry) => {
    if (!built.has(entry.anchor)) built.set(entry.anchor, build(entry));
    return built.get(entry.anchor);
  };

  const build = (entry) => {
    const summary = make("summary", {}, make("span", { class: "name" }, entry.heading), " ",
      make("span", { class: "muted" }, entry.summary));
    if (entry.status !== "ok") {
      summary.append(" ", make("span", { class: `tag ${entry.status.replace(" ", "_")}` }, entry.status));
    }
    const element = make("details", { class: "case", id: entry.anchor }, summary);
    element.addEventListener("toggle", () => {
      if (element.open) fill(element, entry);
    });
    return element;
  };

  const show = () => {
    const kept = cases.filter((_, number) => filter.keeps(number));
    list.replaceChildren(...kept.slice(0, limit).map(entryOf));
    const parts = [];
    if (kept.length > limit) parts.push(`${grouped(limit)} of ${grouped(kept.length)} cases listed`);
    if (filter.active()) parts.push(`${grouped(kept.length)} of ${grouped(cases.length)} match the filter`);
    more.querySelector("span").textContent = parts.length ? `${parts.join("; ")}.` : "";
    for (const button of more.querySelectorAll("button")) button.hidden = kept.length <= limit;
    more.hidden = parts.length === 0;
  };

  /* The entry a link leads to, listed if it is not, and opened. */
  const openTarget = () => {
    const asked = decodeURIComponent(location.hash.slice(1));
    /* Of a row that a filter or a limit hides, the case in the list. */
    const id = document.getElementById(asked) ? asked : asked.replace(/^row-.*?-(?=case-)/, "");
    const number = id ? cases.findIndex((entry) => entry.anchor === id) : -1;
    if (number < 0) {
      const target = id && document.getElementById(id);
      if (target && target.tagName === "DETAILS") target.open = true;
      return;
    }
    if (!filter.keeps(number)) filter.clear();
    const element = entryOf(cases[number]);
    if (!element.isConnected) list.prepend(element);
    fill(element, cases[number]);
    element.open = true;
    element.scrollIntoView();
    element.querySelector("summary").focus({ preventScroll: true });
  };

  const start = () => {
    for (const button of more.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        limit = button.dataset.all === undefined ? limit + 100 : Infinity;
        show();
      });
    }
    filter.onChange(show);
    show();
  };

  /* Details of everything that is listed, for paper. */
  const fillListed = () => {
    for (const entry of cases) {
      const element = built.get(entry.anchor);
      if (element?.isConnected) fill(element, entry);
    }
  };

  return { start, openTarget, fillListed };
})();
