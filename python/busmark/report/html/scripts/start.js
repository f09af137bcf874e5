/* The order in which the parts begin. */
filter.start();
for (const section of document.querySelectorAll("section.result")) startTable(section);
caseList.start();
charts.start();
window.addEventListener("hashchange", caseList.openTarget);
caseList.openTarget();
root.dataset.ready = "";
