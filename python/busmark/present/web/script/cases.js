/* The list of cases. An entry is made when it is shown, its details when it is opened; their markup
   has all text escaped already. */
const caseList = (() => {
  const list = document.getElementById("case-list");
  const more = document.querySelector("#cases .more");
  const { cases } = data("data-cases") ?? { cases: [] };
  const WITHOUT = "The details of this case are not in this page; its figures are in its table. All of them: busmark show --json.";
  let limit = 50;

  const fill = (element, entry) => {
    if (element.dataset.filled !== undefined) return;
    if (!stored.now) {
      stored.load().then(() => fill(element, entry), fail);
      return;
    }
    element.dataset.filled = "";
    if (entry.reason) {
      element.append(make("p", {}, make("strong", {}, `${entry.status}: `), entry.reason));
    }
    const details = make("div", { class: "details" });
    const { order, kinds } = stored.now;
    if (order[entry.id].length) details.innerHTML = order[entry.id].map((kind) => kinds[kind][entry.id]).join("");
    else details.append(make("p", { class: "note" }, WITHOUT));
    element.append(details);
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
    const id = decodeURIComponent(location.hash.slice(1));
    const number = id ? cases.findIndex((entry) => entry.anchor === id) : -1;
    if (number < 0) {
      const target = document.getElementById(id);
      const fold = target?.querySelector(":scope > details");
      if (fold) fold.open = true;
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
    if (!list) return;
    for (const button of more.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        limit = button.dataset.all === undefined ? limit + 100 : Infinity;
        show();
      });
    }
    filter.onChange(show);
    show();
  };

  return { start, openTarget };
})();
