/* What the reader has chosen, kept in the address: it survives a reload, can be sent to others, and
   "back" undoes it. Where a browser does not let a page change its address, it is kept here only. */
const place = (() => {
  let chosen = new URLSearchParams(location.search);
  const listeners = [];

  const set = (changes, { replace = false } = {}) => {
    const before = chosen.toString();
    for (const [name, value] of Object.entries(changes)) {
      if (value) chosen.set(name, value); else chosen.delete(name);
    }
    const query = chosen.toString();
    if (query === before) return;
    const address = `${location.pathname}${query && `?${query}`}${location.hash}`;
    try {
      history[replace ? "replaceState" : "pushState"](null, "", address);
    } catch { /* Chosen all the same. */ }
  };

  window.addEventListener("popstate", () => {
    const now = new URLSearchParams(location.search);
    if (now.toString() === chosen.toString()) return;
    chosen = now;
    for (const listener of listeners) listener();
  });

  return {
    set,
    get: (name) => chosen.get(name) ?? "",
    names: () => [...chosen.keys()],
    onBack: (listener) => listeners.push(listener),
  };
})();
