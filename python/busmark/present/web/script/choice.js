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

  const kept = (panel) => !panel.cases.length || panel.cases.some((number) => filter.keeps(number));
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

  const MOVED = ["at", "top", "bottom", "y"];

  /* A chart of rows without those that are left out: in bars the others move up, a heat map loses
     the names of its axis. */
  const withoutRows = (spec, staying) => {
    const places = new Map(staying.map((row, place) => [row, place]));
    const end = staying.length - 0.5;
    const rowOf = (row) => row.r ?? Math.round(MOVED.map((name) => row[name]).find((y) => y !== undefined));
    /* Lines across all rows. */
    const rests = (row) => row.s === undefined && row.r === undefined;
    walk(spec, (node) => {
      if (node.legend?.gradientLength) {
        /* Of one or two rows the scale has no room for its names. */
        node.legend = staying.length > 2 ? { ...node.legend, gradientLength: spec.height } : null;
      }
      if (node.data?.values) {
        node.data.values = node.data.values.filter((row) => rests(row) || places.has(rowOf(row)));
        for (const row of node.data.values) {
          const change = rests(row) ? 0 : places.get(rowOf(row)) - rowOf(row);
          for (const name of MOVED) if (row.r === undefined && name in row) row[name] = Math.min(row[name] + change, end);
        }
      }
      const y = node.encoding?.y;
      if (y?.field === "r") y.scale.domain = staying;
      else if (y?.axis?.values) {
        const names = JSON.parse(y.axis.labelExpr.replace("[datum.value]", ""));
        y.scale.domain = [end, -0.5];
        y.axis.values = [...places.values()];
        y.axis.labelExpr = `${JSON.stringify(staying.map((row) => names[row]))}[datum.value]`;
      }
    });
  };

  /* A chart of series without those that are left out, and without their entries of the legend. */
  const withoutSeries = (spec, stays) => walk(spec, (node) => {
    if (node.data?.values) node.data.values = node.data.values.filter(({ s }) => stays(s));
    if (node.legend?.columns) node.legend.values = node.legend.values.filter(stays);
  });

  /* What the filter leaves of a panel, and which labels it has left out. */
  const filtered = (panel) => {
    const every = [...new Set(panel.cases.map(filter.label))];
    const left = new Set(panel.cases.filter((number) => filter.keeps(number)).map(filter.label));
    const without = every.filter((label) => !left.has(label));
    if (!without.length) return panel;
    const keeps = (label) => !without.includes(label);
    const { rows, spec } = panel;
    if (rows.length) {
      const staying = rows.map((_, row) => row).filter((row) => rows[row] === "" || keeps(rows[row]));
      spec.height *= staying.length / rows.length;
      withoutRows(spec, staying);
    } else {
      withoutSeries(spec, (series) => keeps(spec.usermeta.labels[series]));
    }
    const text = without.length > 4 ? `${without.length} of ${every.length}` : without.join(", ");
    return { ...panel, caption: `${panel.caption} Left out by the filter: ${text}.` };
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
