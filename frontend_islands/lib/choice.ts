/** Which finish and format of a product the page's address asks for: `?finition=painted&format=12`. */
import type { Finish } from "./cart-storage";

export interface Choice {
  finish: Finish | null;
  variation_id: number | null;
}

/** What the address asks for; null for what it leaves open or what is no such thing. */
export function choiceInAddress(): Choice {
  const query = new URLSearchParams(location.search);
  const finish = query.get("finition");
  return {
    finish: finish === "painted" || finish === "unpainted" ? finish : null,
    variation_id: Number.parseInt(query.get("format") ?? "", 10) || null,
  };
}

/** Writes a choice into the address, without a new entry in the history: going back leaves the page. */
export function putInAddress({ finish, variation_id }: Choice): void {
  const address = new URL(location.href);
  if (finish) address.searchParams.set("finition", finish);
  if (variation_id) address.searchParams.set("format", String(variation_id));
  history.replaceState(history.state, "", address);
}
