import { ApiProblem } from "@/lib/api";
import { listen } from "@/lib/events";
import { readFavourites, syncFavourites, toggleFavourite } from "@/lib/favourites";

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
      await announce((await toggleFavourite(this.#product)) ? "favourite_added" : "favourite_removed");
    } catch (problem) {
      await announce("favourite_failed", problem instanceof ApiProblem ? problem.detail : "");
    }
  };
}

/** Shows the notice whose words the page holds, with the server's own reason if there is one. */
async function announce(code: string, detail = ""): Promise<void> {
  const template = document.querySelector<HTMLTemplateElement>(`#toasts > [data-notice="${code}"]`);
  if (!template) return;
  const { toast } = await import("@/lib/toast");
  const { kind, title, link } = template.dataset;
  const text = detail || (template.content.textContent?.trim() ?? "");
  toast({
    kind: kind === "error" || kind === "info" ? kind : "success",
    title: title ?? "",
    ...(link ? { link: { href: link, label: text } } : text ? { text } : {}),
  });
}

customElements.define("favourite-button", FavouriteButtonElement);
addEventListener("storage", () => document.dispatchEvent(changed()));
void syncFavourites();

/** Another tab wrote the list. */
function changed(): CustomEvent<{ ids: number[] }> {
  return new CustomEvent("favourites:changed", { detail: { ids: readFavourites() } });
}
