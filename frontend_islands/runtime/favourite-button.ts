import { ApiProblem } from "@/lib/api";
import { emit, listen } from "@/lib/events";
import { readFavourites, syncFavourites, toggleFavourite } from "@/lib/favourites";
// Not at the press: who has no connection then reads so.
import { showNotice } from "./notice";

/** `<favourite-button product="12"><button aria-pressed="false">…</button></favourite-button>`: a heart. */
class FavouriteButtonElement extends HTMLElement {
  #off: AbortController | undefined;

  connectedCallback(): void {
    this.#off = new AbortController();
    const { signal } = this.#off;
    this.addEventListener("click", this.#toggle, { signal });
    listen("favourites:changed", ({ ids }) => this.#draw(ids), { signal });
    this.#draw(readFavourites());
  }

  disconnectedCallback(): void {
    this.#off?.abort();
  }

  get #product(): number {
    return Number(this.getAttribute("product"));
  }

  #draw(ids: number[]): void {
    this.querySelector("button")?.setAttribute("aria-pressed", String(ids.includes(this.#product)));
  }

  #toggle = async (): Promise<void> => {
    try {
      const isAdded = await toggleFavourite(this.#product);
      showNotice(isAdded ? "favourite_added" : "favourite_removed");
    } catch (problem) {
      showNotice("favourite_failed", problem instanceof ApiProblem ? problem.detail : "");
    }
  };
}

customElements.define("favourite-button", FavouriteButtonElement);
const reread = () => emit("favourites:changed", { ids: readFavourites() });
// Another tab wrote the list, or another page while this one was in the browser's memory.
addEventListener("storage", reread);
addEventListener("pageshow", ({ persisted }) => persisted && reread());
void syncFavourites();
