import { syncFavourites } from "@/lib/favourites";
import { fetchFragment, showFragment } from "@/lib/fragment";
import { fallbackOf, type Unmount } from "@/runtime/island";

/** Has the server draw this browser's favourites. A page that names its pieces is left as it is. */
export async function mount(host: HTMLElement): Promise<Unmount> {
  const place = fallbackOf(host)?.querySelector<HTMLElement>("[data-favourites]");
  if (!place) throw new Error("There is no place for the favourites.");
  const address = new URL(location.href);
  const left = new AbortController();
  if (!address.searchParams.has("ids")) {
    address.searchParams.set("ids", (await syncFavourites()).join(","));
    showFragment(place, await fetchFragment(address, "favourites", left.signal));
  }
  return () => left.abort();
}
