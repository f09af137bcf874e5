/* The bar that stays at the top: targets of links stop below it, and it marks the section that is
   read. */
const startBar = () => {
  const bar = document.querySelector(".bar");
  const nav = bar.querySelector("nav");
  const links = [...nav.querySelectorAll("a")]
    .map((link) => [link, document.getElementById(link.hash.slice(1))])
    .filter(([, target]) => target);
  const SLACK = 40;
  let marked = null;

  const mark = () => {
    const edge = bar.getBoundingClientRect().bottom + SLACK;
    const above = links.filter(([, target]) => target.getBoundingClientRect().top <= edge);
    const atEnd = window.innerHeight + window.scrollY >= root.scrollHeight - 2;
    const [current] = (atEnd && window.scrollY > 0 ? links : above).at(-1) ?? [null];
    if (current === marked) return;
    marked?.removeAttribute("aria-current");
    current?.setAttribute("aria-current", "true");
    marked = current;
    if (current) nav.scrollTo({ left: current.offsetLeft - nav.offsetLeft - nav.clientWidth / 3 });
  };

  new ResizeObserver(() => root.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
  let waiting = false;
  window.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
  mark();
};
