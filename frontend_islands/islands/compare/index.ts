import { fallbackOf, type Unmount } from "@/runtime/island";

/**
 * Lets a range input move the edge between the raw and the painted photo of one piece. The input is on the page
 * before this script, so that the Tab key reaches it and brings it into sight.
 */
export function mount(host: HTMLElement): Unmount {
  const figure = fallbackOf(host)?.querySelector<HTMLElement>(".compare");
  const range = figure?.querySelector<HTMLInputElement>("[data-range]");
  if (!figure || !range) throw new Error("There is nothing to compare.");
  const move = () => figure.style.setProperty("--split", edge(Number(range.value)));
  range.addEventListener("input", move);
  range.hidden = false;
  move();
  return () => {
    range.removeEventListener("input", move);
    range.hidden = true;
    figure.style.removeProperty("--split");
  };
}

/** The place of the thumb's middle (it is 3rem wide and never leaves the picture), and the very edge at both ends. */
function edge(percent: number): string {
  if (percent <= 0 || percent >= 100) return `${percent}%`;
  return `calc(1.5rem + (100% - 3rem) * ${percent / 100})`;
}
