/* Draws the charts, sorts the tables, follows light, dark and print. Needs plotly and nothing else. */
(() => {
  "use strict";

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

  const charts = JSON.parse(document.getElementById("charts").textContent);
  const chosen = {};
  let printing = false;
  const PAPER = 680;
  const NARROW = 560;

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

  const layoutOf = (id, panel, width) => {
    const { text, muted, grid, panel: back } = theme();
    const narrow = width < NARROW;
    const legends = panel.traces.filter((trace) => trace.name && trace.showlegend !== false).length;
    const extra = narrow && panel.layout.showlegend !== false ? 12 * legends : 0;
    const layout = {
      height: charts[id].height + extra,
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

  const draw = (id) => {
    const element = document.getElementById(id);
    const panel = charts[id].panels[chosen[id]];
    const width = printing ? PAPER : element.clientWidth;
    const layout = layoutOf(id, panel, width);
    const traces = panel.traces.map((trace) => (
      trace.error_x && !trace.error_x.color
        ? { ...trace, error_x: { ...trace.error_x, color: layout.font.color } } : trace));
    element.setAttribute("aria-label",
      `${element.closest("figure").querySelector("h3").textContent}. ${panel.caption}`);
    document.getElementById(`${id}-caption`).textContent = panel.caption;
    return window.Plotly.react(element, traces, layout,
      { ...config, displayModeBar: width < NARROW ? false : "hover" });
  };

  /* Widths are set here, on every change of the element's, so that nothing is ever cut off. */
  const widths = new Map();
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const known = widths.get(target.id);
      widths.set(target.id, contentRect.width);
      if (known !== undefined && known !== contentRect.width && !printing) draw(target.id);
    }
  });

  const drawAll = () => Promise.all(Object.keys(charts).map(draw));

  /* The panel that has the value just chosen and agrees best with the other selectors. */
  const choose = (id, changed) => {
    const wanted = {};
    for (const select of document.querySelectorAll(`.controls[data-chart="${id}"] select`)) {
      wanted[select.dataset.key] = select.value;
    }
    let best = -1;
    charts[id].panels.forEach((panel, index) => {
      const agrees = Object.entries(wanted).filter(([key, value]) => panel.keys[key] === value);
      const score = agrees.length + (panel.keys[changed] === wanted[changed] ? 100 : 0);
      if (score > best) { best = score; chosen[id] = index; }
    });
    showChoice(id);
    return draw(id);
  };

  const showChoice = (id) => {
    const keys = charts[id].panels[chosen[id]].keys;
    for (const select of document.querySelectorAll(`.controls[data-chart="${id}"] select`)) {
      if (keys[select.dataset.key] !== undefined) select.value = keys[select.dataset.key];
    }
  };

  const sortTable = (button) => {
    const heading = button.closest("th");
    const body = heading.closest("table").tBodies[0];
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    const column = Number(button.dataset.column);
    const key = (row) => row.querySelectorAll("[data-sort]")[column].dataset.sort;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      const numeric = Number(x) - Number(y);
      const order = Number.isNaN(numeric) ? x.localeCompare(y) : numeric;
      return ascending ? order : -order;
    };
    for (const row of body.rows) row.classList.remove("block-end");
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    [...body.rows].sort(compare).forEach((row) => body.append(row));
  };

  const openTarget = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  };

  const beforePrint = () => {
    printing = true;
    for (const closed of document.querySelectorAll("details:not([open])")) {
      closed.open = true;
      closed.dataset.closed = "";
    }
    drawAll();
  };

  const afterPrint = () => {
    printing = false;
    for (const opened of document.querySelectorAll("details[data-closed]")) {
      opened.open = false;
      delete opened.dataset.closed;
    }
    drawAll();
  };

  const start = () => {
    for (const id of Object.keys(charts)) chosen[id] = 0;
    for (const controls of document.querySelectorAll(".controls")) {
      showChoice(controls.dataset.chart);
      controls.addEventListener("change", (event) =>
        choose(controls.dataset.chart, event.target.dataset.key));
    }
    for (const button of document.querySelectorAll("thead button")) {
      button.addEventListener("click", () => sortTable(button));
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
    window.addEventListener("beforeprint", beforePrint);
    window.addEventListener("afterprint", afterPrint);
    window.addEventListener("hashchange", openTarget);
    openTarget();
    for (const id of Object.keys(charts)) observer.observe(document.getElementById(id));
    drawAll().then(() => { root.dataset.drawn = String(Object.keys(charts).length); }, fail);
  };

  start();
})();
