/* The order in which the parts begin. What is stored is loaded behind the first charts, so that paper
   has it at once. */
filter.start();
startBar();
const tables = [...document.querySelectorAll(".result")].map((section) => {
  startWide(section);
  return startTable(section);
});
caseList.start();
overlay.start();
window.addEventListener("hashchange", caseList.openTarget);
caseList.openTarget();
charts.start().then(() => Promise.all(tables.map((begin) => begin())))
  .then(stored.load).then(() => { root.dataset.ready = ""; }, fail);
