/* Draws the charts, each when it comes near the window; follows light, dark and print. */
const charts = (() => {
  const figures = [...document.querySelectorAll("figure.chart")];
  const chosen = new Map();
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

  const draw = (figure) => {
    const element = figure.querySelector(".plot");
    const chart = data(`chart-${element.id}`);
    const panel = resolved(chart.panels[chosen.get(figure) ?? 0], chart.parts);
    const width = printing ? PAPER : element.clientWidth;
    const layout = layoutOf(panel, chart.height, width);
    const traces = panel.traces.map((trace) => (
      trace.error_x && !trace.error_x.color
        ? { ...trace, error_x: { ...trace.error_x, color: layout.font.color } } : trace));
    element.setAttribute("aria-label", `${figure.querySelector("h3").textContent}. ${panel.caption}`);
    figure.querySelector("figcaption").textContent = panel.caption;
    const told = figure.querySelector(".explanation");
    if (panel.explanation) told.textContent = panel.explanation;
    drawn.add(figure);
    return window.Plotly.react(element, traces, layout,
      { ...config, displayModeBar: width < NARROW ? false : "hover" })
      .then(() => { root.dataset.drawn = String(drawn.size); }, fail);
  };

  const redraw = () => Promise.all([...drawn].map(draw));

  /* What the reader chooses by: selectors that the panel does not have are hidden and say nothing. */
  const asked = (figure) => Object.fromEntries(selects(figure)
    .filter((select) => !select.parentElement.hidden)
    .map((select) => [select.dataset.key, select.value]));

  /* The panel that has the value just chosen and agrees best with the other selectors. */
  const best = (figure, wanted, changed) => {
    let found = chosen.get(figure) ?? 0;
    let most = -1;
    data(`chart-${figure.querySelector(".plot").id}`).panels.forEach((panel, index) => {
      const agrees = Object.entries(wanted).filter(([key, value]) => panel.keys[key] === value);
      const score = agrees.length + (panel.keys[changed] === wanted[changed] ? 100 : 0);
      if (score > most) { most = score; found = index; }
    });
    return found;
  };

  const selects = (figure) => [...figure.querySelectorAll(".controls select")];

  const showChoice = (figure) => {
    const { keys } = data(`chart-${figure.querySelector(".plot").id}`).panels[chosen.get(figure) ?? 0];
    for (const select of selects(figure)) {
      const value = keys[select.dataset.key];
      if (value !== undefined) select.value = value;
      select.parentElement.hidden = value === undefined;
    }
  };

  /* What is chosen in one of several figures about the same case is chosen in all of them. */
  const choose = (figure, changed) => {
    chosen.set(figure, best(figure, asked(figure), changed));
    showChoice(figure);
    const now = asked(figure);
    const { link } = figure.dataset;
    for (const other of link ? figures.filter((f) => f.dataset.link === link && f !== figure) : []) {
      chosen.set(other, best(other, { ...asked(other), ...now }, changed));
      showChoice(other);
      if (drawn.has(other)) draw(other);
    }
    return draw(figure);
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
    printing = true;
    for (const figure of figures) draw(figure);
  };

  const afterPrint = () => {
    printing = false;
    redraw();
  };

  const start = () => {
    root.dataset.charts = String(figures.length);
    root.dataset.drawn = "0";
    for (const figure of figures) {
      for (const select of selects(figure)) {
        select.addEventListener("change", () => choose(figure, select.dataset.key));
      }
      resized.observe(figure.querySelector(".plot"));
      near.observe(figure);
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  };

  return { start, beforePrint, afterPrint };
})();
