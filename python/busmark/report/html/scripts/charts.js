/* Draws the charts, each when it comes near the window; follows light, dark and print. */
const charts = (() => {
  const figures = [...document.querySelectorAll("figure.chart")];
  const drawn = new Set();
  let printing = false;
  const PAPER = 680;
  const NARROW = 560;
  const AHEAD = "800px";

  const theme = () => {
    const style = getComputedStyle(root);
    const read = (name, print) => (printing ? print : style.getPropertyValue(name).trim());
    return {
      text: read("--text", "#000000"),
      muted: read("--muted", "#444444"),
      grid: read("--grid", "#dddddd"),
      panel: read("--panel", "#f5f6f8"),
    };
  };

  /* What several panels share is kept once, under `parts`. */
  const resolved = (value, parts) => {
    if (Array.isArray(value)) return value.map((item) => resolved(item, parts));
    if (value === null || typeof value !== "object") return value;
    if (value.part !== undefined) return resolved(parts[value.part], parts);
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolved(v, parts)]));
  };

  const layoutOf = (panel, height, width) => {
    const { text, muted, grid, panel: back } = theme();
    const narrow = width < NARROW;
    const legends = panel.traces.filter((trace) => trace.name && trace.showlegend !== false).length;
    const extra = narrow && panel.layout.showlegend !== false ? 12 * legends : 0;
    const layout = {
      height: height + extra,
      margin: { l: narrow ? 48 : 64, r: 14, t: 12, b: 48 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: text, size: narrow ? 11 : 13, family: getComputedStyle(document.body).fontFamily },
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom" },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: muted, activecolor: text },
      hovermode: "closest",
      hoverlabel: { bgcolor: back, bordercolor: muted, font: { color: text } },
      dragmode: narrow ? false : "zoom",
      separators: ".\u202f",
      ...panel.layout,
    };
    layout.width = width;
    for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key))) {
      layout[name] = {
        gridcolor: grid, linecolor: muted, zerolinecolor: grid, tickcolor: muted, ticks: "outside",
        ...layout[name],
      };
    }
    return layout;
  };

  const config = { displaylogo: false,
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
    toImageButtonOptions: { format: "svg" } };

  /* The findings on what the panel shows, each with a link to where it is explained. */
  const flagged = (figure, flags) => {
    const legend = figure.querySelector(".legend");
    legend.hidden = flags.length === 0;
    legend.replaceChildren("Findings: ", ...flags.flatMap(([mark, severity, anchor, title], place) => [
      make("a", { class: `flag is-${severity}`, href: `#${anchor}`, "aria-label": `${severity}: ${title}` }, mark),
      ` ${title}${place + 1 < flags.length ? "; " : "."}`,
    ]));
  };

  const draw = (figure) => {
    const element = figure.querySelector(".plot");
    const chart = data(`chart-${element.id}`);
    const panel = choice.panelOf(figure, resolved);
    drawn.add(figure);
    figure.classList.toggle("empty", panel === null);
    if (panel === null) {
      figure.querySelector("figcaption").textContent = "Nothing here matches the filter.";
      flagged(figure, []);
      root.dataset.drawn = String(drawn.size);
      return Promise.resolve();
    }
    const width = printing ? PAPER : element.clientWidth;
    const layout = layoutOf(panel, chart.height, width);
    const traces = panel.traces.map((trace) => (
      trace.error_x && !trace.error_x.color
        ? { ...trace, error_x: { ...trace.error_x, color: layout.font.color } } : trace));
    element.setAttribute("aria-label", `${figure.querySelector("h3").textContent}. ${panel.caption}`);
    figure.querySelector("figcaption").textContent = panel.caption;
    const told = figure.querySelector(".explanation");
    if (panel.explanation) told.textContent = panel.explanation;
    flagged(figure, panel.flags);
    return window.Plotly.react(element, traces, layout,
      { ...config, displayModeBar: width < NARROW ? false : "hover" })
      .then(() => { root.dataset.drawn = String(drawn.size); }, fail);
  };

  const redraw = () => Promise.all([...drawn].map(draw));

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
      requestAnimationFrame(() => draw(figure));
    }
  });

  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        near.unobserve(target);
        if (!drawn.has(target)) draw(target);
      }
    }
  }, { rootMargin: AHEAD });

  const beforePrint = () => {
    if (!window.Plotly) return;
    printing = true;
    for (const figure of figures) draw(figure);
  };

  const afterPrint = () => {
    printing = false;
    redraw();
  };

  /* Plotly and the data. The page's policy has the hash of the script as it is unpacked. */
  const load = async () => {
    const [script, all] = await Promise.all(["packed-plotly", "packed-charts"].map(unpacked));
    for (const [name, chart] of Object.entries(JSON.parse(all))) parsed.set(name, chart);
    document.head.append(make("script", {}, script));
  };

  const start = async () => {
    root.dataset.charts = String(figures.length);
    root.dataset.drawn = "0";
    if (!figures.length) return;
    try {
      await load();
    } catch (error) {
      fail(error);
      const told = "This browser cannot draw the charts: it needs to be of 2023 or later.";
      for (const figure of figures) figure.querySelector(".plot").textContent = told;
      return;
    }
    for (const figure of figures) {
      choice.restore(figure);
      choice.update(figure);
      for (const select of choice.selects(figure)) {
        select.addEventListener("change", () => changed(figure, select));
      }
      resized.observe(figure.querySelector(".plot"));
      near.observe(figure);
    }
    filter.onChange(refresh);
    place.onBack(() => {
      for (const figure of figures) choice.restore(figure);
      refresh();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  };

  return { start, beforePrint, afterPrint };
})();
