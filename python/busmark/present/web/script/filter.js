/* One filter for all tables, charts and the list of cases: words, and a value of each parameter that
   varies. What is chosen is in the address, by the parameter's name. */
const filter = (() => {
  const WORDS = "find";
  const form = document.getElementById("filter");
  const reset = form?.querySelector("[type=reset]");
  const { names, cases } = data("data-cases") ?? { names: [], cases: [] };
  const listeners = [];
  let kept = null;

  const texts = cases.map((entry) => [entry.id, entry.heading, entry.status, ...entry.values]
    .join(" ").toLowerCase().replace(/\u202f/g, ""));

  const selects = () => [...form.querySelectorAll("select")];

  /* Numbers of the cases that agree with everything asked for; null: all of them. */
  const wanted = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const choices = selects().filter((select) => select.value !== "")
      .map((select) => [names.indexOf(select.name), select.value]);
    if (!words.length && !choices.length) return null;
    const found = new Set();
    cases.forEach((entry, number) => {
      if (choices.every(([at, value]) => entry.values[at] === value)
        && words.every((word) => texts[number].includes(word))) found.add(number);
    });
    return found;
  };

  const apply = () => {
    kept = wanted();
    count();
    for (const listener of listeners) listener();
  };

  /* What the form has, into the address; each change but of words can be undone by "back". */
  const keep = (replace) => place.set({
    [WORDS]: form.elements.words.value.trim(),
    ...Object.fromEntries(selects().map((select) => [select.name, select.value])),
  }, { replace });

  /* And back. What the address has of another report is left out. */
  const restore = () => {
    form.elements.words.value = place.get(WORDS);
    for (const select of selects()) {
      const value = place.get(select.name);
      select.value = [...select.options].some((option) => option.value === value) ? value : "";
    }
  };

  const clear = () => {
    form.elements.words.value = "";
    for (const select of selects()) select.value = "";
    keep(false);
    apply();
  };

  const count = () => {
    document.getElementById("filter-count").textContent = kept
      ? `${grouped(kept.size)} of ${grouped(cases.length)} cases` : `${grouped(cases.length)} cases`;
    reset.hidden = kept === null;
    const text = [form.elements.words.value, ...selects().map((select) => select.value)];
    form.querySelector(".chosen").textContent = kept ? `: ${text.filter(Boolean).join(", ")}` : "";
  };

  let waiting = 0;
  const start = () => {
    if (cases.length < 2) return;
    names.forEach((name, at) => {
      const values = [...new Set(cases.map((entry) => entry.values[at]))];
      if (values.length < 2) return;
      const select = make("select", { name }, make("option", { value: "" }, "all"),
        ...values.filter(Boolean).map((value) => make("option", { value }, value)));
      form.querySelector(".choices").append(make("label", {}, `${name} `, select));
    });
    form.addEventListener("input", (event) => {
      keep(event.target.name === "words");
      clearTimeout(waiting);
      waiting = setTimeout(apply, cases.length > 1000 ? 150 : 0);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      clear();
    });
    place.onBack(() => {
      restore();
      apply();
    });
    const wide = matchMedia("(min-width: 64rem)");
    const fit = () => { form.querySelector("details").open = wide.matches; };
    wide.addEventListener("change", fit);
    fit();
    form.hidden = false;
    restore();
    kept = wanted();
    count();
  };

  return {
    start, clear,
    onChange: (listener) => listeners.push(listener),
    keeps: (number) => kept === null || kept.has(number),
    active: () => kept !== null,
    label: (number) => cases[number].label,
  };
})();
