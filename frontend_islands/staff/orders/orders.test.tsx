import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Held, hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { OrderList } from ".";

const order = (reference: string) => ({
  id: reference,
  reference,
  customer_name: "Léa Martin",
  status: "confirmed",
  status_label: "Confirmée",
  flags: [],
  items: [{ id: 1, quantity: 2, product_image: "" }],
  created_at: "2026-11-20T10:00:00Z",
  promised_by: "2026-12-01",
  total_amount: "40.00",
});

let asked: string[];
let held: Held | undefined;

beforeEach(() => {
  asked = [];
  held = undefined;
  history.replaceState(null, "", "/admin/commandes");
  vi.stubGlobal("fetch", async (address: string) => {
    if (address.endsWith("/counts")) return Response.json({ by_status: { confirmed: 2 }, late: 0 });
    asked.push(address);
    await held;
    const query = new URLSearchParams(address.split("?")[1]);
    const [results, next] = query.has("cursor")
      ? [[order("BBBB2222")], null]
      : query.get("search")?.startsWith("z")
        ? [[], null]
        : [[order("AAAA1111")], "older"];
    return Response.json({ results, next: null, next_cursor: next });
  });
});
afterEach(() => vi.unstubAllGlobals());

it("filters, reads older orders, and says in its address what it shows", async () => {
  const { user, screen } = await renderStaff(<OrderList />);
  await user.click(await screen.findByRole("button", { name: "Confirmées (2)" }));
  await waitFor(() => expect(asked).toHaveLength(2));
  await user.click(await screen.findByRole("button", { name: "Voir les commandes plus anciennes" }));
  await screen.findByText("BBBB2222");
  // Keyboards go on before what came.
  expect(document.activeElement?.textContent).toMatch(/^AAAA1111/);
  expect(asked).toEqual([
    "/api/admin/orders?page_size=30",
    "/api/admin/orders?page_size=30&status=confirmed",
    "/api/admin/orders?page_size=30&status=confirmed&cursor=older",
  ]);
  expect(location.search).toBe("?filtre=confirmed");
});

it("says that nothing was found once that is known, not because nothing was before", async () => {
  const { user, screen } = await renderStaff(<OrderList />);
  const field = await screen.findByLabelText("Rechercher une commande");
  await user.type(field, "zz");
  await screen.findByText("Aucune commande ne correspond à « zz ».");
  held = hold();
  await user.clear(field);
  await user.type(field, "lea");
  await waitFor(() => expect(asked.at(-1)).toContain("search=lea"));
  expect(screen.queryByText(/Aucune commande/)).toBeNull();
  expect(screen.getByRole("status").textContent).toBe("Chargement des commandes…");
  held.arrive();
  await screen.findByText("AAAA1111");
});

it("is found as it was left: filtered, with the older orders, and scrolled as far", async () => {
  // Rows of a hundred points below a head of four hundred.
  let scrolled = 0;
  vi.stubGlobal("scrollBy", ({ top }: ScrollToOptions) => {
    scrolled += top ?? 0;
  });
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    const row = [...document.querySelectorAll(".staff-rows__row")].indexOf(this);
    return new DOMRect(0, 400 + 100 * row - scrolled, 300, 100);
  });
  const loaded = vi.spyOn(performance, "getEntriesByType").mockReturnValue([]);
  history.replaceState(null, "", "/admin/commandes?filtre=confirmed");
  const before = await renderStaff(<OrderList />);
  await before.user.click(
    await before.screen.findByRole("button", { name: "Voir les commandes plus anciennes" }),
  );
  await before.screen.findByText("BBBB2222");
  scrolled = 550;
  dispatchEvent(new Event("pagehide"));
  scrolled = 0;
  before.unmount();
  const anew = await renderStaff(<OrderList />);
  await anew.screen.findByText("AAAA1111");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([anew.screen.queryByText("BBBB2222"), scrolled]).toEqual([null, 0]);
  anew.unmount();
  loaded.mockReturnValue([{ type: "back_forward" }] as never);
  const { screen, unmount } = await renderStaff(<OrderList />);
  await screen.findByText("BBBB2222");
  await waitFor(() => expect(scrolled).toBe(550));
  unmount();
  loaded.mockReturnValue([]);
  vi.spyOn(document, "referrer", "get").mockReturnValue(`${location.origin}/admin/commandes/o1`);
  await renderStaff(<OrderList />);
  await screen.findByText("BBBB2222");
});
