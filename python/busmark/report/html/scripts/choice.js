/* Which panel each chart shows, and what of it the filter leaves. A panel has keys of its own (how
   something is drawn) and keys that choose cases; the latter are chosen for all charts at once. */
const choice = (() => {
  const SHOWN = "Shown";
  const VIEW = "show.";
  const chosen = new Map();

  const idOf = (figure) => figure.querySelector(".plot").id;
  const chartOf = (figure) => data(`chart-${idOf(figure)}`);
  const selects = (figure) => [...figure.querySelectorAll(".controls select")];
  const own = (figure) => selects(figure).filter((select) => select.dataset.key !== SHOWN);

  const kept = (panel) => panel.cases.some((number) => filter.keeps(number));
  const alike = (a, b) => Object.keys({ ...a, ...b }).every((key) => a[key] === b[key]);

  /* The panel that agrees best, first with what was just changed, then with the chart's own keys,
     then with what all charts show; -1 where the filter leaves none. */
  const best = (figure, changed) => {
    const asked = own(figure).filter((select) => !select.parentElement.hidden || select.dataset.key === changed);
    let [found, most] = [-1, -1];
    chartOf(figure).panels.forEach((panel, index) => {
      if (!kept(panel)) return;
      let score = Object.entries(panel.keys)
        .filter(([key, value]) => place.get(VIEW + key) === value).length;
      for (const { dataset: { key }, value } of asked) {
        if (panel.own[key] === value) score += key === changed ? 10000 : 100;
      }
      if (score > most) [found, most] = [index, score];
    });
    return found;
  };

  const show = (figure) => {
    const { panels } = chartOf(figure);
    const panel = panels[chosen.get(figure)];
    if (!panel) return;
    for (const select of own(figure)) {
      const value = panel.own[select.dataset.key];
      if (value !== undefined) select.value = value;
      select.parentElement.hidden = value === undefined;
    }
    const select = figure.querySelector(`select[data-key="${SHOWN}"]`);
    if (!select) return;
    const others = panels.filter((other) => kept(other) && alike(other.own, panel.own));
    const names = [...new Set(others.map((other) => other.shown))];
    if (names.join("\n") !== [...select.options].map((option) => option.value).join("\n")) {
      select.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    }
    select.value = panel.shown;
    select.parentElement.hidden = names.length < 2;
  };

  const update = (figure, changed = "") => {
    chosen.set(figure, best(figure, changed));
    show(figure);
  };

  /* A value that the reader has chosen in this chart, into the address. */
  const keep = (figure, select) => {
    const { key } = select.dataset;
    if (key !== SHOWN) {
      place.set({ [`${idOf(figure)}.${key}`]: select.value });
      return;
    }
    const now = chartOf(figure).panels[chosen.get(figure)];
    const wanted = chartOf(figure).panels
      .find((panel) => alike(panel.own, now.own) && panel.shown === select.value && kept(panel));
    place.set(Object.fromEntries(Object.entries(wanted.keys)
      .filter(([name]) => wanted.own[name] === undefined).map(([name, value]) => [VIEW + name, value])));
  };

  const restore = (figure) => {
    for (const select of own(figure)) {
      const value = place.get(`${idOf(figure)}.${select.dataset.key}`);
      const known = [...select.options].map((option) => option.value);
      select.value = known.includes(value) ? value : known[0];
    }
  };

  /* A chart of rows without those that are left out: the others move up. */
  const withoutRows = (panel, keeps) => {
    const places = new Map();
    panel.layout.meta.forEach((label, at) => { if (keeps(label)) places.set(at, places.size); });
    const last = places.size - 0.5;
    const moved = (y) => y - Math.round(y) + places.get(Math.round(y));
    const { yaxis } = panel.layout;
    const ticktext = yaxis.ticktext.filter((_, at) => places.has(at));
    const traces = panel.traces.filter((trace) => keeps(trace.meta)).map((trace) => {
      if (trace.mode === "lines") return { ...trace, y: trace.y.map((y) => Math.min(y, last)) };
      const stays = (_, at) => trace.y[at] === null || places.has(Math.round(trace.y[at]));
      return { ...trace, x: trace.x.filter(stays),
        y: trace.y.filter(stays).map((y) => (y === null ? y : moved(y))) };
    });
    const layout = { ...panel.layout,
      yaxis: { ...yaxis, range: [last, -0.5], ticktext, tickvals: ticktext.map((_, at) => at) } };
    return { ...panel, traces, layout };
  };

  const withoutFields = (panel, keeps) => {
    const traces = panel.traces.map((trace) => {
      const stays = (_, at) => keeps(trace.y[at]);
      const parts = trace.type === "heatmap" ? ["z", "customdata", "y"] : ["x", "text", "y"];
      const cut = Object.fromEntries(parts.map((name) => [name, trace[name].filter(stays)]));
      const textfont = trace.textfont && { ...trace.textfont, color: trace.textfont.color.filter(stays) };
      return { ...trace, ...cut, ...(textfont ? { textfont } : {}) };
    });
    const { yaxis } = panel.layout;
    return { ...panel, traces, layout: { ...panel.layout,
      yaxis: { ...yaxis, categoryarray: yaxis.categoryarray.filter(keeps) } } };
  };

  /* What the filter leaves of a panel, and which labels it has left out. */
  const filtered = (panel) => {
    const every = [...new Set(panel.cases.map(filter.label))];
    const left = new Set(panel.cases.filter((number) => filter.keeps(number)).map(filter.label));
    const without = every.filter((label) => !left.has(label));
    if (!without.length) return panel;
    const keeps = (label) => !without.includes(label);
    const cut = panel.layout.meta ? withoutRows(panel, keeps)
      : panel.traces.some((trace) => trace.type === "heatmap") ? withoutFields(panel, keeps)
        : { ...panel, traces: panel.traces.filter((trace) => keeps(trace.meta)) };
    const told = without.length > 4 ? `${without.length} of ${every.length}` : without.join(", ");
    return { ...cut, caption: `${panel.caption} Left out by the filter: ${told}.` };
  };

  /* The panel to draw; null where the filter leaves nothing. */
  const panelOf = (figure, resolved) => {
    if (!chosen.has(figure)) update(figure);
    const { panels, parts } = chartOf(figure);
    const panel = panels[chosen.get(figure)];
    return panel ? filtered(resolved(panel, parts)) : null;
  };

  return { update, keep, restore, panelOf, selects };
})();
