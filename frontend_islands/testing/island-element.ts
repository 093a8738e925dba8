/** Islands of a test's own on the page: declared, placed, seen, arrived. */
import { vi } from "vitest";
import type { IslandModule, Mount } from "@/runtime/island";
import { islands } from "./islands";

interface Observed {
  targets: Element[];
  fire: (isIntersecting: boolean) => void;
  isOver: boolean;
}

/** What was waited for to come in sight, the oldest first. */
export const observed: Observed[] = [];

/** No island is declared, and nothing comes in sight by itself. */
export function startIslands(): void {
  for (const name of Object.keys(islands)) delete islands[name];
  observed.length = 0;
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      #own: Observed;
      constructor(heard: (entries: { isIntersecting: boolean }[]) => void) {
        this.#own = { targets: [], isOver: false, fire: (isIntersecting) => heard([{ isIntersecting }]) };
        observed.push(this.#own);
      }
      observe(target: Element) {
        this.#own.targets.push(target);
      }
      disconnect() {
        this.#own.isOver = true;
      }
    },
  );
}

/** An island that writes its props, and a way to let its module arrive. */
export function declare(name: string, mount: Mount<never> = vi.fn<Mount<never>>(() => () => {})) {
  let arrive: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const load = vi.fn(async (): Promise<IslandModule> => {
    await arrived;
    return { mount };
  });
  islands[name] = load;
  return { load, mount, arrive };
}

export function place(attributes: string, inside = "<p>du serveur</p>", props = '{"n": 1}'): HTMLElement {
  document.body.innerHTML = `<main><x-island ${attributes}><script type="application/json">${props}</script><div data-fallback>${inside}</div></x-island></main>`;
  return document.querySelector("x-island") as HTMLElement;
}

export const settled = () => new Promise((resolve) => setTimeout(resolve));
