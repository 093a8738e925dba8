/** Events between parts of a page, dispatched on the document. */

interface ShopEvents {
  /** The cart was written in this tab; `count` is its number of pieces. */
  "cart:changed": { count: number };
  /** Pieces were put into the cart in this tab. */
  "cart:added": { productId: number; quantity: number };
  /** A web vital was measured; the rating is that of its manual. */
  "shop:web-vital": { name: string; value: number; rating: "good" | "needs-improvement" | "poor" };
  /** The favourites were written in this tab, or read anew after another tab wrote them. */
  "favourites:changed": { ids: number[] };
  /** Something of a product was written in this tab, by this part of its staff's page. */
  "product:changed": { productId: number; by: "form" | "photos" | "variants" };
}

export function emit<Name extends keyof ShopEvents>(name: Name, detail: ShopEvents[Name]): void {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** Calls `handle` with each event until `signal` aborts or the returned function is called. */
export function listen<Name extends keyof ShopEvents>(
  name: Name,
  handle: (detail: ShopEvents[Name]) => void,
  options: { signal?: AbortSignal } = {},
): () => void {
  const handler = (event: Event) => handle((event as CustomEvent<ShopEvents[Name]>).detail);
  document.addEventListener(name, handler, options);
  return () => document.removeEventListener(name, handler);
}
