/* Tables that are wider than the window: what is out of sight is named, and headings stay. */
/* Windows that a table is high before it scrolls by itself. */
const LONG = 2;

const startWide = (section) => {
  const box = section.querySelector(".scroll");
  const hint = section.querySelector(".hint");
  const heads = [...box.querySelectorAll("thead tr:last-child th")];
  let waiting = false;

  const look = () => {
    waiting = false;
    box.classList.remove("fits");
    const fits = box.scrollWidth <= box.clientWidth;
    box.classList.toggle("fits", fits);
    /* A stop for the keyboard only where there is something to scroll to. */
    box.tabIndex = fits ? -1 : 0;
    /* Headings that stay cost a second way to scroll, in which the last rows are out of sight. */
    box.classList.toggle("long", !fits && box.scrollHeight > LONG * window.innerHeight);
    tell(fits);
  };

  const tell = (fits) => {
    const edge = box.getBoundingClientRect().right + 1;
    const hidden = fits ? [] : heads.filter((head) => head.getBoundingClientRect().right > edge);
    const titles = hidden.map((head) => head.textContent.trim());
    const text = titles.length ? `Scroll sideways for ${titles.join(", ")}` : "";
    if (hint.textContent !== text) hint.textContent = text;
    hint.hidden = fits;
  };

  const soon = (action) => () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(action);
  };

  /* Also when it comes into sight for the first time. The table by itself too: ticks and sorting marks
     come later. */
  const sizes = new ResizeObserver(soon(look));
  for (const each of [section, box.querySelector("table")]) sizes.observe(each);
  box.addEventListener("scroll", soon(() => { waiting = false; tell(false); }), { passive: true });
};
