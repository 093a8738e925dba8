/** Lists that grow page by page are found as they were left: with the pages that were read, and scrolled as far. */
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { tabStore } from "@/lib/storage";
import { cameFrom } from "./way-back";

const keyOfList = () => `staff-list:${location.pathname}${location.search}`;

export function useLeftList(list: UseInfiniteQueryResult<InfiniteData<unknown>>): void {
  const { data, isFetching, isError, hasNextPage, fetchNextPage } = list;
  const shown = data?.pages.length ?? 0;
  const [left] = useState(readLeft);
  const isThere = useRef(false);
  useEffect(() => {
    const keep = () => tabStore.write(keyOfList(), JSON.stringify({ pages: shown, top: scrollY }));
    addEventListener("pagehide", keep);
    return () => removeEventListener("pagehide", keep);
  }, [shown]);
  useEffect(() => {
    if (!left || isThere.current || isFetching || shown === 0) return;
    const isSame = left.key === keyOfList();
    if (isSame && shown < left.pages && hasNextPage && !isError) {
      void fetchNextPage();
      return;
    }
    isThere.current = true;
    if (isSame) scrollTo(0, left.top);
  });
}

/** How the list of this address was left in this tab; nothing for who comes anew. */
function readLeft() {
  const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const isBack = loaded?.type === "back_forward" || loaded?.type === "reload";
  if (!isBack && !cameFrom()?.pathname.startsWith(`${location.pathname}/`)) return undefined;
  const key = keyOfList();
  const kept = tabStore.read(key);
  return kept === null ? undefined : { key, ...(JSON.parse(kept) as { pages: number; top: number }) };
}
