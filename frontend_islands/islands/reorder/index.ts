import { addToCart, type CartLine } from "@/lib/cart";
import { goTo } from "@/lib/navigate";
import { fallbackOf, type Unmount } from "@/runtime/island";

/**
 * `<button data-reorder='[{"product_id":1,…}]' data-cart="/panier" hidden>`: puts these lines into the cart and shows it.
 * A full cart takes none: `[data-reorder-full]` says so.
 */
export function mount(host: HTMLElement): Unmount {
  const page = fallbackOf(host);
  const button = page?.querySelector<HTMLButtonElement>("button[data-reorder]");
  if (!page || !button) throw new Error("There is nothing to order again.");
  let isLeaving = false;
  const reorder = () => {
    if (isLeaving) return;
    const lines = JSON.parse(button.dataset.reorder ?? "[]") as CartLine[];
    const added = lines.reduce((sum, line) => sum + addToCart(line, line.quantity), 0);
    isLeaving = added > 0;
    if (isLeaving) goTo(button.dataset.cart ?? "/");
    else page.querySelector<HTMLElement>("[data-reorder-full]")?.removeAttribute("hidden");
  };
  // Browsers may show this page again as it was left.
  const left = () => {
    isLeaving = false;
  };
  button.addEventListener("click", reorder);
  addEventListener("pagehide", left);
  button.hidden = false;
  return () => {
    button.removeEventListener("click", reorder);
    removeEventListener("pagehide", left);
    button.hidden = true;
  };
}
