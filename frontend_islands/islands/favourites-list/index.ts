import { listen } from "@/lib/events";
import { readFavourites, syncFavourites } from "@/lib/favourites";
import { fetchFragment, replaceParts, showFragment } from "@/lib/fragment";
import { fallbackOf, type Unmount } from "@/runtime/island";

/** Has the server draw this browser's favourites. A page that names its pieces is left as it is. */
export async function mount(host: HTMLElement): Promise<Unmount> {
  const place = fallbackOf(host)?.querySelector<HTMLElement>("[data-favourites]");
  if (!place) throw new Error("There is no place for the favourites.");
  const address = new URL(location.href);
  if (address.searchParams.has("ids")) return () => {};
  let asked = new AbortController();
  const draw = (ids: number[]) => {
    asked.abort();
    asked = new AbortController();
    address.searchParams.set("ids", ids.join(","));
    return fetchFragment(address, "favourites", asked.signal);
  };
  const shown = await syncFavourites().catch(readFavourites);
  showFragment(place, await draw(shown));
  // The pieces stay, for a heart that is put back; how many they are is said anew.
  const stop = listen("favourites:changed", ({ ids }) => {
    void draw(shown.filter((id) => ids.includes(id))).then(replaceParts, () => {});
  });
  return () => {
    stop();
    asked.abort();
  };
}
