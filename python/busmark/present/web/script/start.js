/* The order in which the parts begin. */
filter.start();
startBar();
for (const section of document.querySelectorAll("section.result")) {
  startTable(section);
  startWide(section);
}
caseList.start();
window.addEventListener("hashchange", caseList.openTarget);
caseList.openTarget();
charts.start().then(() => { root.dataset.ready = ""; }, fail);
