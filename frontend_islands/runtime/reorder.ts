/**
 * `<button data-reorder='[{"product_id":1,…}]' data-cart="/panier" hidden>`: puts these lines into the cart and shows it.
 * A full cart takes none: the page's `[data-reorder-full]` says so.
 */
import { addToCart, type CartLine } from "@/lib/cart";
import { goTo } from "@/lib/navigate";

const button = document.querySelector<HTMLButtonElement>("button[data-reorder]");
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const lines = JSON.parse(button.dataset.reorder ?? "[]") as CartLine[];
    const added = lines.reduce((sum, line) => sum + addToCart(line, line.quantity), 0);
    if (added) goTo(button.dataset.cart ?? "/");
    else document.querySelector<HTMLElement>("[data-reorder-full]")?.removeAttribute("hidden");
  });
}
