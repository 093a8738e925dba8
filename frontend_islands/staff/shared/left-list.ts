/** Lists that grow page by page are found as they were left: with the pages that were read, and scrolled as far. */
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { tabStore } from "@/lib/storage";
import { cameFrom, LEFT_KEY } from "./way-back";

/** The first row on the screen, by its number, and where its upper edge was. */
interface Left {
  pages: number;
  row: number;
  top: number;
}

/** Rows that were never on the screen have a height that is guessed: it is known a frame later. */
const FRAMES = 10;

const addressOfList = () => location.pathname + location.search;
const placesOfRows = () =>
  [...document.querySelectorAll(".staff-rows__row")].map((row) => row.getBoundingClientRect());

export function useLeftList(list: UseInfiniteQueryResult<InfiniteData<unknown>>): void {
  const { data, isFetching, isError, hasNextPage, fetchNextPage } = list;
  const shown = data?.pages.length ?? 0;
  const [left] = useState(readLeft);
  const isThere = useRef(false);
  useEffect(() => {
    const keep = () => {
      const places = placesOfRows();
      const row = places.findIndex(({ bottom }) => bottom > 0);
      const left: Left = { pages: shown, row, top: places[row]?.top ?? 0 };
      tabStore.write(LEFT_KEY + addressOfList(), JSON.stringify(left));
    };
    addEventListener("pagehide", keep);
    return () => removeEventListener("pagehide", keep);
  }, [shown]);
  useEffect(() => {
    if (!left || isThere.current || isFetching || shown === 0) return;
    const isSame = left.address === addressOfList();
    if (isSame && shown < left.pages && hasNextPage && !isError) {
      void fetchNextPage();
      return;
    }
    isThere.current = true;
    if (isSame) scrollBack(left, FRAMES);
  });
}

function scrollBack(left: Left, frames: number): void {
  const place = placesOfRows()[left.row];
  if (!place) return;
  scrollBy({ top: place.top - left.top, behavior: "instant" });
  if (frames > 0) requestAnimationFrame(() => scrollBack(left, frames - 1));
}

/** How the list of this address was left in this tab; nothing for who comes anew. */
function readLeft() {
  const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const isBack = loaded?.type === "back_forward" || loaded?.type === "reload";
  if (!isBack && !cameFrom()?.pathname.startsWith(`${location.pathname}/`)) return undefined;
  const address = addressOfList();
  const kept = tabStore.read(LEFT_KEY + address);
  return kept === null ? undefined : { address, ...(JSON.parse(kept) as Left) };
}
