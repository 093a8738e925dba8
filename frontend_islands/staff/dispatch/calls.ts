/** Orders that are ready, and sending many of them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { STAFF_LIMITS } from "@/api/limits";
import type { DispatchResult, DispatchResults, ReadyOrder, ReadyOrders } from "@/api/types";
import { getJson, postJson } from "@/lib/api";

const KEY = ["ready-orders"];
const PATH = "/api/admin/dispatch";
/** As many as one call takes. */
const MOST = STAFF_LIMITS.DispatchRequest.orders;
const EVERY_MS = 15_000;

interface Dispatch {
  id: string;
  carrier: string;
  tracking_number: string;
  /** Of the order whose preview was read. */
  expected_updated_at?: string | null | undefined;
}

export function useReady() {
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) =>
      getJson<ReadyOrders>(PATH, { signal }).then(({ results }): ReadyOrder[] => results),
    refetchInterval: EVERY_MS,
  });
}

/** One order by its reference, if it is ready. */
export async function findReady(reference: string): Promise<ReadyOrder | undefined> {
  const answer = await getJson<ReadyOrders>(`${PATH}?${new URLSearchParams({ reference })}`);
  return answer.results[0];
}

export function useDispatchPreview() {
  return useMutation({ mutationFn: (orders: Dispatch[]) => inParts(`${PATH}?preview`, orders) });
}

export function useDispatch(onDone: (results: DispatchResult[]) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (orders: Dispatch[]) => inParts(PATH, orders, onDone),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

/** `onPart` hears of each part at once: what left stays told when a later part fails. */
async function inParts(
  path: string,
  orders: Dispatch[],
  onPart?: (results: DispatchResult[]) => void,
): Promise<DispatchResult[]> {
  const results: DispatchResult[] = [];
  for (let start = 0; start < orders.length; start += MOST) {
    const part = await postJson<DispatchResults>(path, { orders: orders.slice(start, start + MOST) });
    results.push(...part.results);
    onPart?.(part.results);
  }
  return results;
}
