/* One filter for all tables and the list of cases: words, and a value of each parameter. */
const filter = (() => {
  const form = document.getElementById("filter");
  const { names, cases } = data("data-cases");
  const listeners = [];
  let kept = null;

  const texts = cases.map((entry) => [entry.id, entry.heading, entry.status, ...entry.values]
    .join(" ").toLowerCase().replace(/\u202f/g, ""));

  /* Numbers of the cases that agree with everything asked for; null: all of them. */
  const wanted = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const choices = names.map((name, place) => [place, form.elements[`value-${place}`]?.value ?? ""])
      .filter(([, value]) => value !== "");
    if (!words.length && !choices.length) return null;
    const found = new Set();
    cases.forEach((entry, number) => {
      if (choices.every(([place, value]) => entry.values[place] === value)
        && words.every((word) => texts[number].includes(word))) found.add(number);
    });
    return found;
  };

  const apply = () => {
    kept = wanted();
    count();
    for (const listener of listeners) listener();
  };

  const clear = () => {
    form.reset();
    apply();
  };

  const count = () => {
    document.getElementById("filter-count").textContent = kept
      ? `${grouped(kept.size)} of ${grouped(cases.length)} cases` : `${grouped(cases.length)} cases`;
  };

  let waiting = 0;
  const start = () => {
    if (cases.length < 2) return;
    names.forEach((name, place) => {
      const values = [...new Set(cases.map((entry) => entry.values[place]))];
      if (values.length < 2) return;
      const select = make("select", { name: `value-${place}` }, make("option", { value: "" }, "all"),
        ...values.filter(Boolean).map((value) => make("option", { value }, value)));
      form.querySelector(".choices").append(make("label", {}, `${name} `, select));
    });
    form.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(apply, cases.length > 1000 ? 150 : 0);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply));
    form.hidden = false;
    count();
  };

  return {
    start, clear,
    onChange: (listener) => listeners.push(listener),
    keeps: (number) => kept === null || kept.has(number),
    active: () => kept !== null,
  };
})();
