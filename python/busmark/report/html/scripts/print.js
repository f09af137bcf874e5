/* On paper everything that is listed is open. */
window.addEventListener("beforeprint", () => {
  caseList.fillListed();
  for (const closed of document.querySelectorAll("details:not([open])")) {
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
