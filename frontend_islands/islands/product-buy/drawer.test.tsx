import { fireEvent, screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { readCart } from "@/lib/cart-storage";
import { toast } from "@/lib/toast";
import { barriers } from "@/testing/accessibility";
import { addButton, answer, figurine, openShop, plain, radio } from "@/testing/product-buy";
import { json, problem, quote, quoted, serve } from "@/testing/purchase";
import { renderIsland } from "@/testing/render";
import { ProductBuy } from "./index";

vi.mock("@/lib/toast");
vi.mock("@/lib/fragment", () => ({ fetchFragment: vi.fn(async () => ""), replaceParts: vi.fn() }));

beforeEach(() => {
  vi.mocked(toast).mockReset();
  openShop();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
});

it("adds the choice to the cart and says so", async () => {
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  await user.click(radio(/^Non peint/));
  await user.click(addButton());

  expect(readCart()).toEqual([{ product_id: 12, variation_id: 3, finish: "unpainted", quantity: 1 }]);
  const drawer = screen.getByRole("dialog", { name: "Produit ajouté au panier" });
  expect(document.activeElement?.textContent).toBe("Produit ajouté au panier");
  expect(drawer.textContent).toContain("Gardien");
  expect(await within(drawer).findByText(/^1 × /)).toBeTruthy();
  expect(answer.mock.calls[0]?.[0].body).toEqual({ lines: readCart(), country: "FR" });
  expect([...drawer.querySelectorAll("dd")].map((cell) => cell.textContent?.replace(/\s/g, " "))).toEqual([
    "378,00 €",
  ]);
  expect(within(drawer).getByRole("link", { name: "Commander" }).getAttribute("href")).toBe("/checkout");
  expect(within(drawer).getByRole("link", { name: "Voir le panier" }).getAttribute("href")).toBe("/panier");
  expect(toast).not.toHaveBeenCalled();
  expect(await barriers(drawer)).toEqual([]);

  await user.click(within(drawer).getByRole("button", { name: "Fermer" }));
  expect(drawer.hasAttribute("open")).toBe(false);
  expect(readCart()).toHaveLength(1);
});

it("says in the drawer what the server refuses, and asks again where it did not answer", async () => {
  let reply = () => problem(503, "unavailable", "La boutique est fermée.");
  serve({ "/api/cart/quote": () => reply() });
  const { user } = await renderIsland(<ProductBuy {...plain} />);
  await user.click(addButton());
  expect(await screen.findByText("La boutique est fermée.")).toBeTruthy();

  reply = () =>
    json(
      quote([
        quoted({
          ...readCart()[0],
          key: "12::",
          available: false,
          problem_detail: "Rupture de stock",
        }),
      ]),
    );
  await user.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(await screen.findByText("Rupture de stock")).toBeTruthy();
});

it("closes on the backdrop and not on the sheet", async () => {
  const { user } = await renderIsland(<ProductBuy {...plain} />);
  await user.click(addButton());
  const drawer = screen.getByRole<HTMLDialogElement>("dialog");
  await user.click(within(drawer).getByRole("heading", { level: 2 }));
  expect(drawer.open).toBe(true);
  await user.click(drawer);
  expect(drawer.open).toBe(false);
});

it("stays open under the second of a double click", async () => {
  const { user } = await renderIsland(<ProductBuy {...plain} />);
  await user.click(addButton());
  const drawer = screen.getByRole<HTMLDialogElement>("dialog");
  const close = within(drawer).getByRole("button", { name: "Fermer" });
  for (const target of [drawer, close]) fireEvent.click(target, { detail: 2 });
  const checkout = within(drawer).getByRole("link", { name: "Commander" });
  expect(fireEvent.click(checkout, { detail: 2 })).toBe(false);
  expect(drawer.open).toBe(true);

  await user.click(close);
  expect(drawer.open).toBe(false);
});

it("says what a reduced piece cost before, as the server tells", async () => {
  serve({
    "/api/cart/quote": () =>
      json(quote([quoted({ ...readCart()[0], key: "12::", unit_price: "24.90", original_price: "29.90" })])),
  });
  const { user } = await renderIsland(<ProductBuy {...plain} />);
  await user.click(addButton());
  const drawer = screen.getByRole("dialog");
  const old = await within(drawer).findByText("au lieu de");
  expect(old.closest("s")?.textContent?.replace(/\s/g, " ")).toBe("au lieu de 29,90 €");
});
