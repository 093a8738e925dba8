/**
 * Rows of a list put in order by a finger that rests on one and then moves. Some browsers make a drag of that, others
 * nothing: what they do themselves ends ours by `touchcancel`.
 */
const REST_MS = 350;
/** A finger that moved farther before scrolls. */
const TREMBLE_PX = 8;
/** So near to an edge of the screen the page scrolls on; the bar of tabs covers the lower one. */
const EDGE_PX = 90;
const SCROLL_PX = 16;

interface TouchDrag {
  /** A child of its list. */
  row: HTMLElement;
  /** What is touched. */
  handle: HTMLElement;
  /** The class of the row under the finger. */
  over: string;
  /** Called with the place of the row that it was dropped on, among all of the list. */
  onDrop: (to: number) => void;
}

/** Returns what takes it back. */
export function dragByTouch({ row, handle, over, onDrop }: TouchDrag): () => void {
  const stop = new AbortController();
  const options = { signal: stop.signal, passive: false };
  let timer = 0;
  let from: Touch | undefined;
  let isLifted = false;
  let target: Element | undefined;

  const aim = (next?: Element) => {
    target?.classList.remove(over);
    target = next === row ? undefined : next;
    target?.classList.add(over);
  };
  const finish = () => {
    clearTimeout(timer);
    aim();
    isLifted = false;
    row.classList.remove("is-lifted");
  };

  handle.addEventListener(
    "touchstart",
    (event) => {
      finish();
      from = event.touches[0];
      if (event.touches.length > 1 || (event.target as Element).closest("button")) return;
      timer = window.setTimeout(() => {
        isLifted = true;
        row.classList.add("is-lifted");
      }, REST_MS);
    },
    { signal: stop.signal, passive: true },
  );
  handle.addEventListener(
    "touchmove",
    (event) => {
      const touch = event.touches[0];
      if (!(touch && from)) return;
      const { clientX: x, clientY: y } = touch;
      if (!isLifted) {
        if (Math.hypot(x - from.clientX, y - from.clientY) > TREMBLE_PX) clearTimeout(timer);
        return;
      }
      event.preventDefault();
      if (y < EDGE_PX) window.scrollBy(0, -SCROLL_PX);
      else if (y > window.innerHeight - EDGE_PX) window.scrollBy(0, SCROLL_PX);
      const under = document.elementFromPoint(x, y);
      aim([...(row.parentElement?.children ?? [])].find((each) => each.contains(under)));
    },
    options,
  );
  handle.addEventListener(
    "touchend",
    (event) => {
      // No click on what was dragged.
      if (isLifted) event.preventDefault();
      const to = target && [...(row.parentElement?.children ?? [])].indexOf(target);
      finish();
      if (to !== undefined) onDrop(to);
    },
    options,
  );
  handle.addEventListener("touchcancel", finish, options);
  handle.addEventListener("contextmenu", (event) => isLifted && event.preventDefault(), options);
  return () => {
    stop.abort();
    finish();
  };
}
