import { islands } from "virtual:islands";
import type { Mount, Unmount } from "./island";
import { whenDue } from "./when";

type State = "waiting" | "loading" | "ready" | "failed";

/**
 * `<x-island name on>`: holds what the server rendered and, when it is due, mounts the island in its place.
 *
 * Its `state` attribute is `waiting`, `loading`, `ready` or `failed`. Whatever goes wrong, the server's version
 * stays or comes back, the other islands of the page are not concerned, and the server gets a report.
 */
class IslandElement extends HTMLElement {
  #cancel: (() => void) | undefined;
  #unmount: Unmount | undefined;
  /** The `data-replay` name of the first click made before the island could answer it. */
  #held: string | undefined;

  connectedCallback(): void {
    // Moved within one task: still alive, nothing to do.
    if (this.#cancel) return;
    this.#state = "waiting";
    this.addEventListener("click", this.#holdClick, true);
    this.addEventListener("island:error", this.#failedLater);
    // Assigned before `whenDue` runs: an island that is due at once asks whether it is still wanted.
    let cancel = () => {};
    this.#cancel = () => cancel();
    cancel = whenDue(this, () => void this.#load());
  }

  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected || !this.#cancel) return;
      this.#cancel();
      this.#cancel = undefined;
      this.#release();
    });
  }

  get #name(): string {
    return this.getAttribute("name") ?? "";
  }

  set #state(state: State) {
    this.setAttribute("state", state);
  }

  get #isPending(): boolean {
    // Waiting or loading.
    return this.matches("[state$=ing]");
  }

  async #load(): Promise<void> {
    const attempt = this.#cancel;
    this.#state = "loading";
    try {
      const load = islands[this.#name];
      if (!load) throw new Error(`No island is named "${this.#name}".`);
      const { mount } = (await load()) as { mount: Mount };
      if (this.#cancel !== attempt) return;
      const unmount = await mount(this, this.#props());
      // Taken off the page (and perhaps put back) while it was being mounted.
      if (this.#cancel !== attempt) return unmount();
      this.#unmount = unmount;
      this.#state = "ready";
    } catch (error) {
      if (this.#cancel !== attempt) return;
      this.#fail(error);
    }
    this.#replayClick();
  }

  #props(): unknown {
    const data = this.querySelector(':scope > script[type="application/json"]');
    return data ? JSON.parse(data.textContent ?? "") : null;
  }

  #fail(error: unknown): void {
    this.#release();
    this.#state = "failed";
    reportError(new Error(`The island "${this.#name}" failed.`, { cause: error }));
  }

  #release(): void {
    this.#unmount?.();
    this.#unmount = undefined;
  }

  #failedLater = (event: Event): void => {
    // Taken off the page, it has nothing to show instead.
    if (this.#cancel) this.#fail((event as CustomEvent<unknown>).detail);
  };

  #holdClick = (event: MouseEvent): void => {
    if (!this.#isPending) return;
    const target = (event.target as Element).closest<HTMLElement>("[data-replay]");
    // With a key held the browser opens a link in a tab.
    if (!target || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#held ??= target.dataset.replay;
  };

  #replayClick(): void {
    if (!this.#held) return;
    // On success this finds the island's own control, after a failure the server's.
    const target = this.querySelector<HTMLElement>(`[data-replay="${CSS.escape(this.#held)}"]`);
    this.#held = undefined;
    target?.click();
  }
}

customElements.define("x-island", IslandElement);
