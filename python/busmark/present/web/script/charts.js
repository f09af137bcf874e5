/* Draws the charts, each when it comes near the window; follows light, dark and print. */
const charts = (() => {
  const figures = [...document.querySelectorAll("figure.chart")];
  const drawn = new Set();
  const views = new Map();
  let printing = false;
  const PAPER = 680;
  const LOW = 0.62;
  const NARROW = 560;
  const AHEAD = "800px";
  const MOST_ROWS = 1000;
  const MANY = 60;
  const EM = 12;
  const TICK = 5.5;
  const FIRST = 35;
  const CHARACTER = 0.54 * EM;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const theme = () => {
    const config = data("themes")[dark.matches && !printing ? "dark" : "light"];
    return { ...config, background: "transparent", font: getComputedStyle(document.body).fontFamily,
      axis: { ...config.axis, labelSeparation: EM / 2 } };
  };

  /* A column of a table, as `Parts` of embedded.py has packed it. */
  const unfolded = (column) => {
    if (Array.isArray(column)) return column;
    if (column.runs) return column.runs.flatMap(([value, count]) => Array(count).fill(value));
    const [low, high, count] = column.range;
    let before = 0;
    return Array.from(column.steps ?? column.levels, (character) => {
      const code = character.codePointAt(0) - FIRST;
      if (column.steps) before += code % 2 ? -(code + 1) / 2 : code / 2;
      const share = (column.steps ? before : code) / count;
      if (share < 0) return null;
      return column.ratio ? low * (high / low) ** share : low + (high - low) * share;
    });
  };

  const rowsOf = (columns) => {
    const names = Object.keys(columns);
    const values = names.map((name) => unfolded(columns[name]));
    return values[0].map((_, at) => Object.fromEntries(names.map((name, n) => [name, values[n][at]])));
  };

  /* What several panels share is kept once, under `parts`. */
  const resolved = (value, parts) => {
    if (Array.isArray(value)) return value.map((item) => resolved(item, parts));
    if (value === null || typeof value !== "object") return value;
    if (value.part !== undefined) return resolved(parts[value.part], parts);
    const known = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolved(v, parts)]));
    return known.columns && !known.legend && !known.values ? { values: rowsOf(known.columns) } : known;
  };

  /* Words in lines that are as long as there is room. */
  const wrapped = (title, room, size = 8 / 7) => {
    const most = Math.max(12, Math.floor(room / (CHARACTER * size)));
    const lines = [""];
    for (const word of [title].flat().join(" ").split(/\s/)) {
      const line = `${lines.at(-1)} ${word}`.trim();
      if (line.length > most) lines.push(word); else lines[lines.length - 1] = line;
    }
    return lines.filter(Boolean);
  };

  /* Widths, legends and titles as there is room; on paper two charts find room on a sheet. */
  const fitted = ({ spec, rows }, made, width) => {
    for (const view of spec.vconcat ?? [spec]) {
      view.width = Math.max(120, width - (made - view.width));
      if (printing && !rows.length) view.height *= LOW;
    }
    walk(spec, (node) => {
      const { legend } = node;
      if (legend?.columns) {
        const room = width - 5 * EM;
        const names = legend.values.map((name) => [name, wrapped(name, room - 3 * EM, 1)]);
        const longest = Math.max(...names.flatMap(([, lines]) => lines.map((line) => line.length))) * CHARACTER + 4.2 * EM;
        legend.columns = Math.max(1, Math.min(names.length, Math.floor(room / longest)));
        legend.labelLimit = room - 3 * EM;
        legend.labelExpr = `(${JSON.stringify(Object.fromEntries(names))})[datum.label]`;
      }
      const x = node.encoding?.x?.axis;
      if (x?.title) x.title = wrapped(x.title, width - 6 * EM);
      if (x?.tickCount) x.tickCount = Math.max(2, Math.floor(width / (TICK * EM)));
      if (node.title?.text) node.title.text = wrapped(node.title.text, width - 6 * EM);
    });
    return spec;
  };

  /* Ctrl and the wheel zoom, dragging moves, a double click shows all again. */
  const movable = ({ spec, rows }) => {
    if (spec.vconcat || rows.length) return false;
    let unit = null;
    walk(spec, (node) => {
      const channels = [node.encoding?.x, node.encoding?.y];
      if (node.mark && node.mark.type !== "errorbar"
        && channels.every((channel) => channel?.type === "quantitative")) unit ??= node;
    });
    if (unit) {
      unit.params = [{ name: "part", bind: "scales",
        select: { type: "interval", zoom: "wheel![event.ctrlKey]" } }];
    }
    return unit !== null;
  };

  const tip = make("div", { class: "tip", role: "tooltip", hidden: "" });
  const showTip = (_, event, __, value) => {
    tip.hidden = !value;
    if (!value) return;
    const rows = typeof value === "object" ? Object.entries(value) : [["title", value]];
    tip.replaceChildren(...rows.filter(([, text]) => text !== "" && text !== null).map(([name, text]) =>
      (name === "title" ? make("strong", {}, text) : make("div", {}, `${name}: ${text}`))));
    const { width, height } = tip.getBoundingClientRect();
    const [left, top] = [event.clientX + 14, event.clientY + 14];
    tip.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 8))}px`;
    tip.style.top = `${top + height > innerHeight ? event.clientY - height - 10 : top}px`;
  };

  /* The findings on what the panel shows, each with a link to where it is explained. */
  const flagged = (figure, flags) => {
    const legend = figure.querySelector(".legend");
    legend.hidden = flags.length === 0;
    legend.replaceChildren("Findings: ", ...flags.flatMap(([mark, severity, anchor, title], place) => [
      make("a", { class: `flag is-${severity}`, href: `#${anchor}`, "aria-label": `${severity}: ${title}` }, mark),
      ` ${title}${place + 1 < flags.length ? "; " : "."}`,
    ]));
  };

  const draw = async (figure) => {
    const element = figure.querySelector(".plot");
    const chart = data(`chart-${figure.dataset.source ?? element.id}`);
    const panel = (figure.dataset.source ? overlay : choice).panelOf(figure, resolved);
    drawn.add(figure);
    views.get(figure)?.view.finalize();
    views.delete(figure);
    figure.classList.toggle("empty", panel === null);
    const caption = panel?.caption ?? "Nothing here matches the filter.";
    figure.querySelector("figcaption").textContent = caption;
    flagged(figure, panel?.flags ?? []);
    if (panel) {
      figure.querySelector(".axes").textContent = panel.axes;
      element.setAttribute("aria-label", `${figure.querySelector("h3").textContent}. ${caption}`);
      figure.querySelector(".explanation").textContent = panel.explanation;
      const width = printing ? PAPER : element.clientWidth;
      const spec = fitted(panel, chart.width, width);
      figure.querySelector(".moves").hidden = printing || width < NARROW || !movable(panel);
      const { View, compile, expressionInterpreter, parse } = window.vegaLite;
      const place = make("div");
      const view = new View(parse(compile({ ...spec, config: theme() }).spec, null, { ast: true }),
        { expr: expressionInterpreter, renderer: printing ? "svg" : "canvas", container: place, hover: true });
      views.set(figure, { view, spec });
      element.replaceChildren(place);
      view.tooltip(showTip);
      fillTable(figure);
      await view.runAsync();
      element.style.minHeight = "";
    }
    root.dataset.drawn = String(drawn.size);
  };

  /* What is drawn, as a table, when the reader opens it: what a chart shows of each point to who
     points at it. */
  const fillTable = (figure) => {
    const place = figure.querySelector(".data");
    const { spec } = views.get(figure) ?? {};
    place.querySelector(".scroll")?.remove();
    if (place.open && spec) {
      place.append(make("div", { class: "scroll", tabindex: 0, role: "group",
        "aria-label": `Data: ${figure.querySelector("h3").textContent.trim()}` }, ...tablesOf(spec)));
    }
  };

  const tablesOf = (spec) => (spec.vconcat ?? [spec]).flatMap((view) => {
    const found = [];
    walk(view, (node) => {
      const rows = node.data?.values;
      if (!rows?.length) return;
      let shown = null;
      walk(node, ({ mark, encoding: { x, tooltip } = {} }) => {
        /* Intervals are in the rows of what they are of. */
        if (shown || !tooltip || (mark.type === "errorbar" && node.mark)) return;
        shown = [tooltip].flat();
        /* Who points at a chart sees at which size that is. */
        const fields = shown.map(({ field }) => field);
        if (x?.field === "x" && x.axis.title && fields.includes("y") && !fields.includes("x") && !fields.includes("slower")) {
          shown.splice(1, 0, { field: "x", title: [x.axis.title].flat().join(" ") });
        }
      });
      if (shown && (rows[0].r !== undefined || shown.every((each) => each.title))) found.push(tableOf(shown, rows));
    });
    return [...(view.title?.text ? [make("h4", {}, [view.title.text].flat().join(" "))] : []), ...found];
  });

  /* Of many points the page has places as exact as can be seen, and no more. */
  const digits = (rows, field) => (rows.length < MANY || field === "x" ? 5 : 3);
  const cell = (row, field, most) => {
    if (field === "slower") return String(Number((100 * 10 ** -row.x).toPrecision(2)));
    const value = row[field];
    if (typeof value === "number") return String(Number(value.toPrecision(most)));
    return value ?? (field === "y" ? "not on this axis" : "");
  };
  const tableOf = (shown, rows) => make("table", { class: "small" },
    ...(rows.length > MOST_ROWS
      ? [make("caption", {}, `The first ${grouped(MOST_ROWS)} of ${grouped(rows.length)} rows.`)] : []),
    make("thead", {}, make("tr", {}, ...shown.map(({ title }) =>
      make("th", { scope: "col" }, title && title !== "title" ? title : "name")))),
    make("tbody", {}, ...rows.slice(0, MOST_ROWS).map((row) => make("tr", {},
      ...shown.map(({ field }, place) => make(place ? "td" : "th", place ? {} : { scope: "row" },
        cell(row, field, digits(rows, field))))))));

  const save = async (figure) => {
    const known = views.get(figure);
    if (!known) return;
    const image = new Blob([await known.view.toSVG()], { type: "image/svg+xml" });
    const link = make("a", { href: URL.createObjectURL(image), download: `${figure.querySelector(".plot").id}.svg` });
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const redraw = (those = [...drawn]) => Promise.all(those.filter((figure) => drawn.has(figure) && figure.isConnected)
    .map((figure) => draw(figure).catch(fail)));

  /* After something was chosen: all charts follow. */
  const refresh = () => {
    for (const figure of figures) choice.update(figure);
    return redraw();
  };

  const changed = (figure, select) => {
    choice.keep(figure, select);
    choice.update(figure, select.dataset.key);
    return refresh();
  };

  /* Widths are set here, on every change of the element's, so that nothing is ever cut off. */
  const widths = new Map();
  const resized = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const figure = target.closest("figure");
      const known = widths.get(figure);
      widths.set(figure, contentRect.width);
      if (known === undefined || known === contentRect.width || printing || !drawn.has(figure)) continue;
      requestAnimationFrame(() => draw(figure).catch(fail));
    }
  });

  /* Charts that have come near, one after the other, the nearest first: the reader sees it while the
     others are drawn. */
  const coming = new Set();
  const away = (figure) => {
    const { top, bottom } = figure.getBoundingClientRect();
    return Math.max(top - innerHeight, -bottom, 0);
  };
  const drawComing = async () => {
    while (coming.size) {
      const figure = [...coming].reduce((a, b) => (away(b) < away(a) ? b : a));
      coming.delete(figure);
      if (!drawn.has(figure)) await draw(figure).catch(fail);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
  };
  let drawing = Promise.resolve();
  let begun = null;
  const near = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
      near.unobserve(target);
      coming.add(target);
    }
    drawing = drawing.then(drawComing);
    drawing.then(begun);
  }, { rootMargin: AHEAD });

  /* Draw it when it comes near, and whenever there is another width. */
  const watch = (figure) => {
    figure.querySelector(".data").addEventListener("toggle", () => fillTable(figure));
    figure.querySelector(".save").addEventListener("click", () => save(figure).catch(fail));
    resized.observe(figure.querySelector(".plot"));
    near.observe(figure);
    return figure;
  };

  window.addEventListener("beforeprint", () => {
    if (!window.vegaLite) return;
    printing = true;
    for (const figure of document.querySelectorAll("figure.chart")) draw(figure).catch(fail);
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    redraw();
  });

  /* Vega-Lite and the data. The page's policy has the hash of the script as it is unpacked. */
  const load = async () => {
    const [script, all] = await Promise.all(["packed-drawing", "packed-charts"].map(unpacked));
    for (const [name, chart] of Object.entries(JSON.parse(all))) parsed.set(name, chart);
    document.head.append(make("script", {}, script));
  };
  /* Begun before anything else, for it takes the longest; `start` waits for it. */
  const loaded = figures.length ? load() : null;

  /* Ends when the charts that are near have been drawn. */
  const start = async () => {
    root.dataset.drawn = "0";
    if (!figures.length) return;
    try {
      await loaded;
    } catch (error) {
      fail(error);
      const text = "This browser cannot draw the charts: it needs to be of 2023 or later.";
      for (const figure of figures) figure.querySelector(".plot").textContent = text;
      return;
    }
    document.body.append(tip);
    const first = new Promise((done) => { begun = done; });
    for (const figure of figures) {
      choice.restore(figure);
      choice.update(figure);
      for (const select of choice.selects(figure)) {
        select.addEventListener("change", () => changed(figure, select));
      }
      watch(figure);
    }
    overlay.begin();
    filter.onChange(refresh);
    place.onBack(() => {
      for (const figure of figures) choice.restore(figure);
      refresh();
    });
    dark.addEventListener("change", () => redraw());
    await first;
  };

  return { start, watch, redraw };
})();
