import { fallbackOf, type Unmount } from "@/runtime/island";

/** A slide stays this long; long enough to read it and to reach it. */
const STAYS_MS = 8000;
/** Safari before 26.2 does not say when a scroll has ended: it moves no more after this time. */
const SETTLED_MS = 150;

/**
 * Moves the scroll-snap list that the server rendered: previous, next, one dot a slide, a counter, and play/pause.
 *
 * It advances by itself unless reduced motion is asked for; it waits while it is pointed at, while something in it
 * has the focus and while the tab is hidden, and stops for good once somebody has chosen a slide (WCAG 2.2.2).
 */
export function mount(host: HTMLElement): Unmount {
  const root = fallbackOf(host);
  const slides = root?.querySelector<HTMLElement>("[data-slides]");
  const controls = root?.querySelector<HTMLElement>("[data-controls]");
  if (!root || !slides || !controls) throw new Error("The carousel has no slides or no controls.");
  const toggle = controls.querySelector<HTMLElement>("[data-toggle]");
  const dots = [...controls.querySelectorAll<HTMLElement>("[data-dot]")];
  const counter = controls.querySelector<HTMLElement>("[data-counter]");
  const pattern = root.querySelector<HTMLElement>("[data-count]")?.dataset.count ?? "";
  const total = slides.children.length;
  const motion = matchMedia("(prefers-reduced-motion: reduce)");
  const ended = new AbortController();
  const { signal } = ended;
  let index = 0;
  let playing = !motion.matches && total > 1;
  const held = new Set<"pointer" | "focus">();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settling: ReturnType<typeof setTimeout> | undefined;

  function show(next: number): void {
    index = (next + total) % total;
    slides?.scrollTo({
      left: index * (slides.clientWidth || 1),
      behavior: motion.matches ? "auto" : "smooth",
    });
    draw();
  }

  function choose(next: number): void {
    playing = false;
    show(next);
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    if (playing && !held.size && !document.hidden)
      timer = setTimeout(() => {
        show(index + 1);
        schedule();
      }, STAYS_MS);
    draw();
  }

  function draw(): void {
    dots.forEach((dot, position) => {
      if (position === index) dot.setAttribute("aria-current", "true");
      else dot.removeAttribute("aria-current");
    });
    if (counter)
      counter.textContent = pattern.replace("{index}", String(index + 1)).replace("{total}", String(total));
    // Slides that change by themselves are not read out; those that somebody chooses are.
    slides?.setAttribute("aria-live", playing ? "off" : "polite");
    toggle?.setAttribute("aria-label", (playing ? toggle.dataset.pause : toggle.dataset.play) ?? "");
    for (const part of toggle?.querySelectorAll<HTMLElement>("[data-when]") ?? [])
      part.hidden = part.dataset.when !== (playing ? "playing" : "paused");
  }

  function hold(by: "pointer" | "focus", wanted: boolean): () => void {
    return () => {
      if (wanted) held.add(by);
      else held.delete(by);
      schedule();
    };
  }

  function playOrPause(): void {
    playing = !playing;
    // Who has just pressed play is still pointing at the button: that must not hold it back.
    held.clear();
    schedule();
  }

  function onScroll(): void {
    clearTimeout(settling);
    settling = setTimeout(scrolled, SETTLED_MS);
  }

  function scrolled(): void {
    index = Math.min(total - 1, Math.round((slides?.scrollLeft ?? 0) / (slides?.clientWidth || 1)));
    draw();
  }

  toggle?.addEventListener("click", playOrPause, { signal });
  controls.querySelector("[data-previous]")?.addEventListener("click", () => choose(index - 1), { signal });
  controls.querySelector("[data-next]")?.addEventListener("click", () => choose(index + 1), { signal });
  dots.forEach((dot, position) => {
    dot.addEventListener("click", () => choose(position), { signal });
  });
  slides.addEventListener("scroll", onScroll, { signal });
  root.addEventListener("pointerenter", hold("pointer", true), { signal });
  root.addEventListener("pointerleave", hold("pointer", false), { signal });
  root.addEventListener("focusin", hold("focus", true), { signal });
  root.addEventListener("focusout", hold("focus", false), { signal });
  slides.addEventListener("pointerdown", () => choose(index), { signal });
  document.addEventListener("visibilitychange", schedule, { signal });

  controls.hidden = total < 2;
  schedule();
  return () => {
    clearTimeout(timer);
    clearTimeout(settling);
    ended.abort();
    controls.hidden = true;
  };
}
