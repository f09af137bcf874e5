/* On paper a short list of cases is open; of a long one what the reader has opened. */
const SHORT_LIST = 20;

window.addEventListener("beforeprint", () => {
  const listed = document.querySelectorAll("#case-list .case");
  const everything = listed.length <= SHORT_LIST;
  if (everything) caseList.fillListed();
  for (const closed of document.querySelectorAll("details:not([open], .data)")) {
    if (!everything && closed.classList.contains("case")) continue;
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
