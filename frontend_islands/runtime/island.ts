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
