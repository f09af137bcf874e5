/* The order in which the parts of a page without a list of cases begin. */
startBar();
charts.start().then(() => { root.dataset.ready = ""; }, fail);
window.addEventListener("beforeprint", () => {
  for (const closed of document.querySelectorAll("details:not([open], .data)")) {
    closed.open = true;
    closed.dataset.closed = "";
  }
  charts.beforePrint();
});
window.addEventListener("afterprint", () => {
  for (const opened of document.querySelectorAll("details[data-closed]")) {
    opened.open = false;
    delete opened.dataset.closed;
  }
  charts.afterPrint();
});
