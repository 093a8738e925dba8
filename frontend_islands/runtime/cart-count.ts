import { countUnits, readCart } from "@/lib/cart-storage";
import { listen } from "@/lib/events";

/**
 * `<cart-count label="Articles dans le panier">`: the number of pieces in the cart, hidden at 0.
 *
 * Shows the figure; `label` completes it for screen readers.
 */
class CartCountElement extends HTMLElement {
  #off: AbortController | undefined;

  connectedCallback(): void {
    this.#off = new AbortController();
    const { signal } = this.#off;
    listen("cart:changed", this.#draw, { signal });
    window.addEventListener("storage", this.#draw, { signal });
    // A page that comes back from the browser's memory shows the cart of now.
    window.addEventListener("pageshow", this.#draw, { signal });
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#off?.abort();
  }

  #draw = (): void => {
    const count = countUnits(readCart());
    this.hidden = count === 0;
    const label = document.createElement("span");
    label.className = "visually-hidden";
    label.textContent = `${this.getAttribute("label") ?? ""} `;
    this.replaceChildren(label, String(count));
  };
}

customElements.define("cart-count", CartCountElement);
