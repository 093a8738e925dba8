import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { StaffOrderSheet } from "@/api/types";
import { type Held, hold } from "@/testing/held";
import { queryClient } from "../shared/staff-island";
import { useChange, useOrder } from "./calls";

afterEach(() => vi.unstubAllGlobals());

it("shows what a step made of an order, not what was being read before it", async () => {
  let held: Held | undefined;
  vi.stubGlobal("fetch", async (path: string, { method, signal }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    if (method === "POST") return Response.json({ id: "o1", status: "shipped", updated_at: "v2" });
    await held;
    signal?.throwIfAborted();
    return Response.json({ id: "o1", status: "confirmed", updated_at: "v1" });
  });
  const client = queryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const order = { id: "o1", updated_at: "v1" } as StaffOrderSheet;
  const { result } = renderHook(() => ({ read: useOrder("o1", true), change: useChange(order) }), {
    wrapper,
  });
  await waitFor(() => expect(result.current.read.data?.status).toBe("confirmed"));
  held = hold();
  void client.invalidateQueries({ queryKey: ["order", "o1"] });
  await act(async () => {
    await result.current.change.mutateAsync({ path: "/api/admin/orders/o1/status", body: {} });
    held.arrive();
  });
  await waitFor(() => expect(result.current.read.fetchStatus).toBe("idle"));
  expect(result.current.read.data?.status).toBe("shipped");
});
