/**
 * A press on what comes alive with the page's own script, made before that is there, is kept for it: once it is, it
 * finds an island that is waiting, or a heart. Without the script the press does what it does without scripts.
 */
const LATER = ":not(:defined) [data-replay], favourite-button:not(:defined) > button";

let held: HTMLElement | undefined;

export function holdPresses(): void {
  addEventListener("click", hold, true);
}

export function letGo(): void {
  removeEventListener("click", hold, true);
  held?.click();
}

function hold(event: MouseEvent): void {
  const target = (event.target as Element).closest<HTMLElement>(LATER);
  // With a key held, or another button, the browser opens a link in a tab.
  if (!target || event.ctrlKey || event.metaKey || event.button) return;
  event.preventDefault();
  event.stopPropagation();
  held ??= target;
}
