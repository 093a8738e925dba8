/** Calls about one order: read, previewed, changed. What another person changed meanwhile is never overwritten. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { MailPreview, MailPreviews, StaffOrderSheet } from "@/api/types";
import { ApiProblem, getJson, postJson } from "@/lib/api";

const orderKey = (id: string) => ["order", id];
export const orderPath = (id: string, part = "") => `/api/admin/orders/${id}${part}`;

export function useOrder(id: string, enabled: boolean) {
  return useQuery({
    queryKey: orderKey(id),
    queryFn: ({ signal }) => getJson<StaffOrderSheet>(orderPath(id), { signal }),
    enabled,
  });
}

/** The mails that a step would send; nothing is done. */
export function usePreview() {
  return useMutation({
    mutationFn: ({ path, body }: { path: string; body: object }) =>
      postJson<MailPreviews>(`${path}?preview`, body).then(({ mails }): MailPreview[] => mails),
  });
}

/** A step. The order on the screen becomes what it is afterwards, or, after a conflict, what it is now. */
export function useChange(order: StaffOrderSheet) {
  const show = useShow(order.id);
  // What the form began with: the page reads the order again by itself, behind the dialog.
  const seen = useRef(order.updated_at);
  return useMutation({
    mutationFn: ({ path, body }: { path: string; body: object }) =>
      postJson<StaffOrderSheet>(path, { ...body, expected_updated_at: seen.current }),
    onSuccess: show,
    onError: async (error) => {
      if (!isConflict(error)) return;
      const current = error.body.current as StaffOrderSheet;
      seen.current = current.updated_at;
      await show(current);
    },
  });
}

/** Shows an order as a call answered it; one that was being read before would put the old one back. */
export function useShow(id: string) {
  const client = useQueryClient();
  return async (sheet: StaffOrderSheet) => {
    await client.cancelQueries({ queryKey: orderKey(id) });
    client.setQueryData(orderKey(id), sheet);
  };
}

export function useRefresh(id: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: orderKey(id) });
}

export function isConflict(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && error.code === "conflict";
}
