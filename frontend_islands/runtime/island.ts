/** What the runtime and an island agree on. */

/** Takes the island off the page: listeners, timers and what it drew. */
export type Unmount = () => void;

/**
 * Brings an island to life inside `host`.
 *
 * A promise lets the runtime wait: the island counts as ready when it resolves, as failed when it rejects or
 * throws. An island that fails later dispatches `island:error` on `host` with the error as its detail.
 */
export type Mount<Props = unknown> = (host: HTMLElement, props: Props) => Unmount | Promise<Unmount>;

export interface IslandModule {
  mount: Mount<never>;
}

/** What the server rendered inside the island: the readable or working version of it. */
export function fallbackOf(host: HTMLElement): HTMLElement | null {
  return host.querySelector<HTMLElement>(":scope > [data-fallback]");
}

/**
 * Takes the server's version off the page once `drawn` stands there. Focus moves to the control with the same
 * `data-replay`, id, or name and value.
 */
export function replaceFallback(fallback: HTMLElement, drawn: HTMLElement): void {
  const focused = focusedInside(fallback);
  fallback.remove();
  if (focused) drawn.querySelector<HTMLElement>(focused)?.focus();
}

/** A selector for the counterpart of the focused control. */
function focusedInside(fallback: HTMLElement): string | null {
  const active = document.activeElement as HTMLInputElement | null;
  if (!active || !fallback.contains(active)) return null;
  const { id, name, value } = active;
  const { replay } = active.dataset;
  if (replay) return `[data-replay="${CSS.escape(replay)}"]`;
  if (id) return `#${CSS.escape(id)}`;
  if (!name) return null;
  const field = `[name="${CSS.escape(name)}"]`;
  return active.type === "radio" ? `${field}[value="${CSS.escape(value)}"]` : field;
}
