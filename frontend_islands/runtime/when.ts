/** When an island is worth loading. */

type Cancel = () => void;

/** What the server draws anew in a page that is used already does not wait again. */
let isUsed = false;

/**
 * The first touch of any kind. Not `pointerover`: a page that opens under a resting mouse gets that as well, and at times
 * a `pointermove` by which nothing moved. A finger counts once it is lifted: what it moves must not be replaced beneath
 * it.
 */
const TOUCHES = ["pointermove", "focusin", "touchend", "click"];
/** Anywhere in the page: somebody uses it. */
const USES = [...TOUCHES, "keydown"];
/** By this page, in another tab, or before the page came back from the browser's memory. */
const FILLINGS = ["cart:changed", "storage", "pageshow"];

/**
 * Calls `due` once, at the moment that the host's `on` attribute names: `load`, `idle`, `use`, `visible`,
 * `interaction` or `cart` (once there is something in it, see `purchase/start.ts`). Anything else counts as `load`.
 */
export function whenDue(host: HTMLElement, due: () => void): Cancel {
  switch (host.getAttribute("on")) {
    case "idle":
      if (document.readyState === "complete") break;
      // Once the page's pictures are there, for which scripts must leave the line free.
      return whenFirst(window, ["load", ...USES], due);
    case "use":
      // Chosen before this script was there: the server's version shows the price of another choice.
      if (isUsed || host.querySelector(":checked:not([checked])")) break;
      return whenFirst(window, USES, () => {
        isUsed = true;
        due();
      });
    case "visible":
      return whenVisible(host, due);
    case "interaction":
      return whenFirst(host, TOUCHES, due);
    case "cart":
      if (document.documentElement.dataset.cart) return whenFirst(window, FILLINGS, due);
      break;
  }
  due();
  return () => {};
}

function whenVisible(host: HTMLElement, due: () => void): Cancel {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      due();
    },
    { rootMargin: "200px" },
  );
  // The host has no box of its own (`display: contents`), and the fallback may have none either.
  const fallback = host.querySelector(":scope > [data-fallback]");
  for (const target of fallback ? [fallback, ...fallback.children] : []) observer.observe(target);
  return () => observer.disconnect();
}

/** At the first of these events on `target` or inside it; a page that is merely shown for the first time is none. */
function whenFirst(target: EventTarget, names: readonly string[], due: () => void): Cancel {
  const over = new AbortController();
  const handle = (event: Event & Partial<PageTransitionEvent & PointerEvent>) => {
    const isStill = event.type === "pointermove" && !event.movementX && !event.movementY;
    if (isStill || event.persisted === false || event.pointerType === "touch") return;
    over.abort();
    due();
  };
  for (const name of names)
    target.addEventListener(name, handle, { signal: over.signal, passive: true, capture: true });
  return () => over.abort();
}
