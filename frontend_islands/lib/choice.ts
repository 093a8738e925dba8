/** Which finish and format of a product are asked for: `?finition=painted&format=12`, or fields of these names. */
import type { Finish } from "@/api/types";

export interface Choice {
  finish: Finish | null;
  variation_id: number | null;
}

export function isFinish(value: unknown): value is Finish {
  return value === "painted" || value === "unpainted";
}

/** What an address's query or a form's values ask for; null for what is open or no such thing. */
export function choiceIn(values: Pick<URLSearchParams | ReadonlyMap<string, string>, "get">): Choice {
  const finish = values.get("finition");
  return {
    finish: isFinish(finish) ? finish : null,
    variation_id: Number.parseInt(values.get("format") ?? "", 10) || null,
  };
}

/** Writes a choice into the address, without a new entry in the history: going back leaves the page. */
export function putInAddress({ finish, variation_id }: Choice): URL {
  const address = new URL(location.href);
  if (finish) address.searchParams.set("finition", finish);
  if (variation_id) address.searchParams.set("format", String(variation_id));
  history.replaceState(history.state, "", address);
  return address;
}
