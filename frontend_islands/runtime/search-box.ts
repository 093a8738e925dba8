import type { SearchSuggestions } from "@/api/types";
import { ApiProblem, getJson } from "@/lib/api";
import { formatMoney } from "@/lib/money";
import { goTo } from "@/lib/navigate";

/**
 * Suggestions under a search field: an ARIA combobox with a list box.
 *
 * The field is an `input[data-suggestions]` in a form that works by itself; the attribute is the text of the last
 * option, which leads to all results. The arrows choose, Enter goes, Escape closes, and what is found is read out.
 */
const PAUSE_MS = 150;
const SHORTEST_TEXT = 2;

let boxes = 0;

export function enhanceSearchBox(input: HTMLInputElement): void {
  if (input.role === "combobox" || !input.form) return;
  new SearchBox(input, input.form);
}

class SearchBox {
  #list = document.createElement("div");
  #chosen = -1;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;

  constructor(
    readonly input: HTMLInputElement,
    form: HTMLFormElement,
  ) {
    boxes += 1;
    this.#list.id = `suggestions-${boxes}`;
    this.#list.className = "suggestions";
    this.#list.role = "listbox";
    this.#list.ariaLabel = input.labels?.[0]?.textContent ?? "";
    this.#list.hidden = true;
    form.append(this.#list);
    input.role = "combobox";
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", this.#list.id);
    input.ariaExpanded = "false";
    input.addEventListener("input", () => this.#typed());
    input.addEventListener("keydown", (event) => this.#onKey(event));
    form.addEventListener("focusout", ({ relatedTarget }) => {
      if (!form.contains(relatedTarget as Node | null)) this.#close();
    });
    // A press must not take the focus from the field, which would close the list before the click.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#typed();
  }

  #typed(): void {
    clearTimeout(this.#pause);
    this.#asking?.abort();
    this.#choose(-1);
    if (this.input.value.trim().length < SHORTEST_TEXT) this.#close();
    else this.#pause = setTimeout(() => void this.#ask(this.input.value.trim()), PAUSE_MS);
  }

  async #ask(text: string): Promise<void> {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    try {
      const query = new URLSearchParams({ q: text });
      this.#show(await getJson<SearchSuggestions>(`/api/search/suggestions?${query}`, { signal }));
    } catch (error) {
      // Suggestions are a help: without them the form still searches.
      if (error instanceof ApiProblem) this.#close();
    }
  }

  #show(found: SearchSuggestions): void {
    if (document.activeElement !== this.input) return;
    const options = [
      ...found.products.map((product) =>
        option(
          product.url,
          product.name,
          `${product.category} · ${formatMoney(product.price_from)}`,
          product.image,
        ),
      ),
      ...found.links.map((link) => option(link.url, link.name, "", null)),
    ];
    if (found.count)
      options.push(option(found.url, this.input.dataset.suggestions ?? "", found.summary, null));
    this.#list.replaceChildren(...options);
    options.forEach((element, index) => {
      element.id = `${this.#list.id}-${index}`;
    });
    this.#choose(-1);
    this.#setOpen(options.length > 0);
    const live = document.getElementById("live");
    if (live) live.textContent = found.summary;
  }

  #onKey(event: KeyboardEvent): void {
    const { length } = this.#list.children;
    if (event.key === "Escape" && !this.#list.hidden) {
      event.preventDefault();
      this.#close();
    } else if (event.key === "Enter" && this.#chosen >= 0 && !this.#list.hidden) {
      const address = (this.#list.children[this.#chosen] as HTMLAnchorElement | undefined)?.href;
      if (!address) return;
      event.preventDefault();
      goTo(new URL(address));
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && length) {
      event.preventDefault();
      this.#setOpen(true);
      // One more place than there are options: none of them, back in the text.
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#choose(((this.#chosen + 1 + step + length + 1) % (length + 1)) - 1);
    }
  }

  #choose(index: number): void {
    this.#chosen = index;
    const chosen = this.#list.children[index];
    for (const element of this.#list.children) element.ariaSelected = String(element === chosen);
    if (chosen) {
      this.input.setAttribute("aria-activedescendant", chosen.id);
      chosen.scrollIntoView?.({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  #close(): void {
    clearTimeout(this.#pause);
    this.#asking?.abort();
    this.#choose(-1);
    this.#setOpen(false);
  }

  #setOpen(open: boolean): void {
    this.#list.hidden = !open;
    this.input.ariaExpanded = String(open);
  }
}

interface Picture {
  url: string;
  width: number;
  height: number;
}

function option(url: string, name: string, detail: string, picture: Picture | null): HTMLElement {
  // Option and link in one: an option may hold nothing that can be focused.
  const link = document.createElement("a");
  link.role = "option";
  link.className = "suggestions__link";
  link.href = url;
  // The field has the focus; the option is chosen from there.
  link.tabIndex = -1;
  if (picture) {
    const image = new Image(48, 48);
    image.src = picture.url;
    image.alt = "";
    link.append(image);
  }
  const text = document.createElement("span");
  text.textContent = name;
  link.append(text);
  if (detail) {
    const small = document.createElement("span");
    small.className = "suggestions__detail";
    small.textContent = detail;
    link.append(small);
  }
  return link;
}

// The runtime, where each byte counts, knows it by the shortest name.
export { enhanceSearchBox as default };
