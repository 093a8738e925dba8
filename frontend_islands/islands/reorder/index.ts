import { addToCart, type CartLine } from "@/lib/cart";
import { countUnits } from "@/lib/cart-storage";
import { goTo } from "@/lib/navigate";
import { fallbackOf, type Unmount } from "@/runtime/island";

/**
 * `<button data-reorder='[{"product_id":1,…}]' data-cart="/panier" hidden>`: puts these lines into the cart and shows it.
 * A full cart takes none, or a part of them: `[data-reorder-full]` and `[data-reorder-partly]` say so.
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
    isLeaving = added === countUnits(lines);
    if (isLeaving) return goTo(button.dataset.cart ?? "/");
    const notice = page.querySelector<HTMLElement>(`[data-reorder-${added > 0 ? "partly" : "full"}]`);
    notice?.removeAttribute("hidden");
    if (added === 0) return;
    // Pressed again, it would add what fits once more.
    button.hidden = true;
    notice?.focus();
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
