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
  /** What was clicked or pressed first, before the island could answer. */
  #held: HTMLElement | undefined;

  connectedCallback(): void {
    // Moved within one task: still alive, nothing to do.
    if (this.#cancel) return;
    this.#state = "waiting";
    for (const name of ["mousedown", "click"] as const) this.addEventListener(name, this.#hold, true);
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

  set #state(state: State) {
    this.setAttribute("state", state);
  }

  async #load(): Promise<void> {
    const attempt = this.#cancel;
    this.#state = "loading";
    try {
      // Of an unknown name it is none: that throws as well.
      const load = islands[this.getAttribute("name") as string] as () => Promise<{ mount: Mount }>;
      const { mount } = await load();
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
    const data = this.querySelector(":scope > [type$=json]");
    return JSON.parse(data?.textContent ?? "null");
  }

  #fail(error: unknown): void {
    this.#release();
    this.#state = "failed";
    reportError(new Error(`The island "${this.getAttribute("name")}" failed.`, { cause: error }));
  }

  #release(): void {
    this.#unmount?.();
    this.#unmount = undefined;
  }

  #failedLater = (event: Event): void => {
    // Taken off the page, it has nothing to show instead.
    if (this.#cancel) this.#fail((event as CustomEvent<unknown>).detail);
  };

  /** A press counts, too: where the island takes the control's place before it is released, no click follows. */
  #hold = (event: MouseEvent): void => {
    // Waiting or loading.
    const target = (event.target as Element).closest<HTMLElement>("[state$=ing] [data-replay]");
    // With a key held, or another button, the browser opens a link in a tab.
    if (!target || event.ctrlKey || event.metaKey || event.button) return;
    if (event.type === "click") {
      event.preventDefault();
      event.stopPropagation();
    } else if (!this.#held) {
      // Released elsewhere, or dragged, it was no click; else the click follows.
      for (const end of ["mouseup", "dragstart"]) addEventListener(end, this.#letGo, { once: true });
    }
    this.#held ??= target;
  };

  #letGo = (): void => {
    this.#held = undefined;
  };

  #replayClick(): void {
    const held = this.#held;
    this.#letGo();
    // A control that is pressed and still there gets its click from the browser. Else on success this finds the island's
    // own control, after a failure the server's.
    if (held && !held.matches(":active"))
      this.querySelector<HTMLElement>(`[data-replay="${held.dataset.replay}"]`)?.click();
  }
}

customElements.define("x-island", IslandElement);
