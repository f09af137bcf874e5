/* Cases that the reader ticks in tables, overlaid: a chart for each plot, with curves of whatever
   panels have them. What is ticked is in the address. */
const overlay = (() => {
  const MOST = 10;
  const ADDRESS = "overlay";
  const FILLED = 3;
  const MOST_TICKS = 9;
  const PLOTS = ["distribution function", "survival function", "histogram", "density", "quantiles"];
  const SOURCES = [["latency-distribution", PLOTS], ["latency-time", [""]], ["probe-distribution", PLOTS]];
  const section = document.getElementById("overlay");
  const bar = document.getElementById("ticked");
  const { names, cases } = data("data-cases") ?? { names: [], cases: [] };
  const figures = new Map();
  let chosen = [];
  let ready = false;

  const alike = (n) => new Set(chosen.map((number) => cases[number].values[n])).size === 1;
  const shown = (n) => !["Test", "Status", "Middleware"].includes(names[n]);

  /* The name of each chosen case: its label, and what they differ in besides. */
  const titles = () => {
    const found = chosen.map((number) => {
      const { label, values } = cases[number];
      const own = values.filter((value, n) => value && shown(n) && !alike(n) && !label.includes(value));
      return [label, ...own].join(", ");
    });
    return found.map((title, place) => (found.indexOf(title) === found.lastIndexOf(title)
      ? title : `${title}, ${cases[chosen[place]].id}`));
  };

  /* The colours of their adapters if each has another one, else one for each place; a dash for
     each place. */
  const looks = () => {
    const { labels, adapters, places } = data("overlay");
    const own = chosen.map((number) => labels[cases[number].label]);
    return new Set(own).size === own.length ? own.map((adapter, n) => ({ ...places[n], colour: adapters[adapter].colour })) : places;
  };

  const panelWith = (source, plot, number) => data(`chart-${source}`)?.panels.find(({ cases: own, keys }) =>
    own.includes(number) && (keys.Plot ?? "") === plot && (keys.Of ?? "latency") === "latency");

  /* An axis that reaches as far as all of these do. */
  const together = (channels) => {
    const ends = channels.flatMap(({ scale }) => scale.domain);
    const same = channels.every(({ scale }) => scale.type === channels[0].scale.type);
    const { scale, axis } = (same ? null : channels.find((each) => each.scale.type === "linear"))
      ?? channels.reduce((a, b) => ((b.axis.values ?? []).length > (a.axis.values ?? []).length ? b : a));
    const found = { ...axis };
    if (axis.values && !axis.labelExpr.includes("indexof")) {
      const every = [...new Set(channels.flatMap((each) => each.axis.values))].sort((a, b) => a - b);
      found.values = every.filter((_, n) => n % Math.ceil(every.length / MOST_TICKS) === 0);
    }
    return { scale: { ...scale, domain: [Math.min(...ends), Math.max(...ends)] }, axis: found };
  };

  /* The curves of one case in its panel, under another name. */
  const curves = (spec, label, name) => (spec.vconcat?.[0] ?? spec).layer.filter((group) => group.layer)
    .map((group) => ({ ...group, data: { values: group.data.values
      .filter(({ s }) => spec.usermeta.labels[s] === label).map((row) => ({ ...row, s: name })) } }))
    .filter((group) => group.data.values.length)
    .map((group) => ({ ...group, layer: chosen.length > FILLED
      ? group.layer.filter(({ mark }) => mark.style !== "area") : group.layer }));

  const legend = (entries) => {
    const layer = structuredClone(data("overlay").legend);
    const ranges = { fill: () => "transparent", stroke: ({ look }) => look.colour, shape: ({ look }) => look.path };
    for (const [channel, range] of Object.entries(ranges)) {
      const found = layer.encoding[channel];
      found.scale = { domain: entries.map(({ name }) => name), range: entries.map(range) };
      Object.assign(found.legend, { values: found.scale.domain, columns: entries.length });
    }
    return layer;
  };

  const caption = (missing) => {
    const common = cases[chosen[0]].values.filter((value, n) => value && shown(n) && alike(n));
    const parts = [`${chosen.length} ticked ${chosen.length === 1 ? "case" : "cases"}.`];
    if (common.length) parts.push(`In common: ${common.join(", ")}.`);
    if (missing.length) parts.push(`Not here, for want of samples: ${missing.join("; ")}.`);
    return parts.join(" ");
  };

  /* What a figure draws; null where none of the cases has it. */
  const panelOf = (figure, resolved) => {
    const { source, plot } = figure.dataset;
    const [own, drawn] = [titles(), looks()];
    const found = chosen.map((number, n) => ({ number, name: own[n], look: drawn[n],
      panel: panelWith(source, plot, number) }));
    const entries = found.filter(({ panel }) => panel);
    if (!entries.length) return null;
    for (const entry of entries) {
      const { spec, explanation, axes } = resolved(entry.panel, data(`chart-${source}`).parts);
      Object.assign(entry, { spec, explanation, axes, groups: curves(spec, cases[entry.number].label, entry.name) });
    }
    const groups = entries.flatMap((entry) => entry.groups);
    const encodings = groups.map((group) => group.layer.find(({ encoding }) => encoding.y?.axis).encoding);
    const reach = { x: together(encodings.map(({ x }) => x)), y: together(encodings.map(({ y }) => y)) };
    const looked = { color: ({ look }) => look.colour, strokeDash: ({ look }) => look.dash, shape: () => "circle" };
    walk({ groups }, ({ encoding }) => {
      if (!encoding) return;
      for (const [channel, own] of Object.entries(reach)) if (encoding[channel]?.axis) Object.assign(encoding[channel], own);
      for (const [channel, range] of Object.entries(looked)) {
        if (encoding[channel]?.scale) encoding[channel].scale = { domain: entries.map(({ name }) => name), range: entries.map(range) };
      }
    });
    const [{ spec, explanation, axes }] = entries;
    const { height, resolve } = spec.vconcat?.[0] ?? spec;
    return {
      spec: { width: data(`chart-${source}`).width, height: spec.vconcat ? height * 2 : height, resolve,
        layer: [...groups, legend(entries)], autosize: { type: "fit-x", contains: "padding" } },
      rows: [], flags: [], explanation, axes,
      caption: caption(found.filter(({ panel }) => !panel).map(({ name }) => name)),
    };
  };

  /* A figure like that of the report, for one plot. */
  const build = (source, plot) => {
    const like = document.getElementById(source).closest("figure");
    const figure = like.cloneNode(true);
    const id = `overlay-${source}-${plot}`.replace(/[- ]+/g, "-").replace(/-$/, "");
    const name = like.querySelector("h3").firstChild.textContent.trim();
    Object.assign(figure.dataset, { source, plot });
    figure.classList.remove("empty");
    figure.querySelector("h3").hidden = false;
    figure.querySelector("h3").firstChild.textContent = plot ? `${name}: ${plot} ` : `${name} `;
    figure.querySelector(".plot").id = id;
    figure.querySelector(".plot").replaceChildren();
    figure.querySelector(".controls").replaceChildren();
    figure.querySelector(".tools a").href = `#${id}`;
    figure.querySelector(".data").open = false;
    return figure;
  };

  const show = () => {
    for (const box of document.querySelectorAll(".tick")) {
      box.checked = chosen.includes(Number(box.closest("tr").dataset.n));
    }
    say("");
    section.hidden = bar.hidden = !chosen.length;
    if (!ready) return;
    const here = SOURCES.flatMap(([source, plots]) => plots
      .filter((plot) => chosen.some((number) => panelWith(source, plot, number)))
      .map((plot) => {
        const key = `${source} ${plot}`;
        if (!figures.has(key)) figures.set(key, charts.watch(build(source, plot)));
        return figures.get(key);
      }));
    section.querySelector("div").replaceChildren(...(here.length || !chosen.length ? here
      : [make("p", {}, "None of the ticked cases has samples in this page.")]));
    charts.redraw(here);
  };

  const say = (message) => {
    bar.querySelector("span").textContent = message || `${chosen.length} of ${MOST} cases ticked`;
    bar.classList.toggle("is-warning", message !== "");
  };

  const choose = (numbers) => {
    chosen = numbers;
    place.set({ [ADDRESS]: chosen.map((number) => cases[number].id).join(" ") });
    show();
  };

  const ticked = (box) => {
    const number = Number(box.closest("tr").dataset.n);
    if (!box.checked) choose(chosen.filter((other) => other !== number));
    else if (chosen.length < MOST) choose([...chosen, number]);
    else {
      box.checked = false;
      say(`At most ${MOST} cases are overlaid: untick one before you tick another.`);
    }
  };

  /* A box in each row of a case; the null adapter's has none, for no chart is of it alone. */
  const offer = (body) => {
    if (!section) return;
    for (const row of body.querySelectorAll("tr[data-n]:not(.is-floor)")) {
      const box = make("input", { type: "checkbox", class: "tick", title: "Overlay in one chart",
        "aria-label": `Overlay: ${cases[row.dataset.n].heading}`, autocomplete: "off" });
      box.checked = chosen.includes(Number(row.dataset.n));
      box.addEventListener("change", () => ticked(box));
      row.cells[0].prepend(box);
    }
  };

  const restore = () => {
    const ids = place.get(ADDRESS).split(" ");
    chosen = ids.map((id) => cases.findIndex((entry) => entry.id === id)).filter((n) => n >= 0).slice(0, MOST);
    show();
  };

  const start = () => {
    if (!section) return;
    bar.querySelector("button").addEventListener("click", () => choose([]));
    place.onBack(restore);
    restore();
  };

  /* Once charts can be drawn. */
  const begin = () => {
    ready = true;
    if (chosen.length) show();
  };

  return { start, begin, offer, panelOf };
})();
