import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { MAX_QUANTITY, readCart, writeCart } from "@/lib/cart-storage";
import { fetchFragment } from "@/lib/fragment";
import { toast } from "@/lib/toast";
import { barriers } from "@/testing/accessibility";
import { addButton, figurine, offer, openShop, plain, price, radio } from "@/testing/product-buy";
import { renderIsland } from "@/testing/render";
import { ProductBuy } from "./index";
import { firstChoice, withFinish } from "./offers";

vi.mock("@/lib/toast");
vi.mock("@/lib/fragment", async (original) => ({
  ...(await original<typeof import("@/lib/fragment")>()),
  fetchFragment: vi.fn(),
}));

let setInSight: (isInSight: boolean) => void = () => {};

beforeEach(() => {
  vi.mocked(toast).mockReset();
  vi.mocked(fetchFragment).mockReset().mockResolvedValue("");
  openShop();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(heard: (entries: { isIntersecting: boolean }[]) => void) {
        setInSight = (isIntersecting) => heard([{ isIntersecting }]);
      }
      observe() {}
      disconnect() {}
    },
  );
});

it("shows the server's choice with its price, crossed-out price and promotion", async () => {
  await renderIsland(<ProductBuy {...figurine} />);

  expect(price()).toBe("189,00 € au lieu de 219,00 € 2 ACHETÉS 1 OFFERT 2 achetés, 1 offert");
  expect(document.querySelector("s.price-was")?.textContent).toBe("au lieu de 219,00 €");
  expect(radio(/^Peint/).checked).toBe(true);
  expect(radio(/15 cm/).checked).toBe(true);
  expect(document.querySelector(".radio-card__photo")?.getAttribute("src")).toBe("/p.webp");
  expect(location.search).toBe("");
});

it("changes price and address with the choice, and has the server draw the rest", async () => {
  history.replaceState({ kept: 1 }, "", "/produit/12-gardien?utm=x#specs");
  document.body.insertAdjacentHTML("beforeend", '<p data-part="details">14 cm</p><p data-part="other">x</p>');
  vi.mocked(fetchFragment).mockResolvedValue('<p data-part="details">25 cm</p>');
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  const entries = history.length;
  expect(fetchFragment).not.toHaveBeenCalled();

  await user.click(radio(/25 cm/));

  expect(price()).toBe("289,00 €  2 ACHETÉS 1 OFFERT 2 achetés, 1 offert");
  expect(location.search).toBe("?utm=x&finition=painted&format=4");
  expect(location.hash).toBe("#specs");
  expect(history.state).toEqual({ kept: 1 });
  expect(history.length).toBe(entries);
  const [address, part] = vi.mocked(fetchFragment).mock.calls[0] ?? [];
  expect([address?.search, part]).toEqual(["?utm=x&finition=painted&format=4", "choice"]);
  await waitFor(() => expect(document.querySelector('[data-part="details"]')?.textContent).toBe("25 cm"));
  expect(document.querySelector('[data-part="other"]')?.textContent).toBe("x");
  for (const part of document.querySelectorAll("[data-part]")) part.remove();
});

it("draws the latest choice only, whatever answer comes first", async () => {
  const answers: ((html: string) => void)[] = [];
  vi.mocked(fetchFragment).mockImplementation(
    (_address, _part, signal) =>
      new Promise((resolve, reject) => {
        answers.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  document.body.insertAdjacentHTML("beforeend", '<p data-part="details">first</p>');
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  await user.click(radio(/25 cm/));
  await user.click(radio(/15 cm/));
  await user.click(radio(/25 cm/));
  answers[0]?.('<p data-part="details">late</p>');
  answers.at(-1)?.('<p data-part="details">latest</p>');

  await waitFor(() => expect(document.querySelector('[data-part="details"]')?.textContent).toBe("latest"));
  expect(toast).not.toHaveBeenCalled();
  document.querySelector("[data-part]")?.remove();
});

it("names the choice of the page in the address when one goes back to it before the answer", async () => {
  vi.mocked(fetchFragment).mockReturnValue(new Promise(() => {}));
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  await user.click(radio(/25 cm/));
  await user.click(radio(/15 cm/));

  expect(radio(/15 cm/).checked).toBe(true);
  expect(location.search).toBe("?finition=painted&format=3");
});

it("says so when the server does not answer", async () => {
  vi.mocked(fetchFragment).mockRejectedValue(new Error("away"));
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  await user.click(radio(/25 cm/));

  await waitFor(() =>
    expect(vi.mocked(toast).mock.calls).toEqual([
      [{ kind: "error", title: "La boutique ne répond pas. Vérifiez votre connexion puis réessayez." }],
    ]),
  );
  expect(price()).toContain("289,00 €");
});

it("takes a format that the new finish has", async () => {
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  await user.click(radio(/25 cm/));
  await user.click(radio(/^Non peint/));

  expect(radio(/15 cm/).checked).toBe(true);
  expect(radio(/25 cm/).disabled).toBe(true);
  expect(price()).toBe("89,00 €  2 ACHETÉS 1 OFFERT 2 achetés, 1 offert");
});

it("shows what is sold out, with the reason, and lets nobody choose it", async () => {
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  const soldOut = radio(/40 cm/);

  expect(soldOut.disabled).toBe(true);
  expect(soldOut.getAttribute("aria-describedby")).toBeTruthy();
  expect(within(soldOut.closest("label") as HTMLElement).getByText("489,00 € (Rupture)")).toBeTruthy();
  await user.click(soldOut);
  expect(soldOut.checked).toBe(false);
  expect(price()).toContain("189,00 €");
});

it.each([
  ["what it costs of a finish that is sold out", figurine.offers, "89,00 € (Rupture)"],
  ["the server's reason for one that is not offered", figurine.offers.slice(0, 3), "Non proposé"],
])("says %s", async (_what, offers, detail) => {
  const finishes = figurine.finishes.map((finish) =>
    finish.code === "unpainted" ? { ...finish, available: false, reason: "Non proposé" } : finish,
  );
  await renderIsland(<ProductBuy {...figurine} finishes={finishes} offers={offers} />);
  expect(radio(/^Non peint/).disabled).toBe(true);
  expect(screen.getByText(detail)).toBeTruthy();
});

it("sells a product that has nothing to choose", async () => {
  const { user } = await renderIsland(<ProductBuy {...plain} />);
  expect(screen.queryByRole("radio")).toBeNull();
  expect(price()).toBe("24,90 €");
  await user.click(addButton());
  expect(readCart()).toEqual([{ product_id: 12, variation_id: null, finish: null, quantity: 1 }]);
});

it("says that the cart is full instead of pretending", async () => {
  writeCart([{ product_id: 12, variation_id: null, finish: null, quantity: MAX_QUANTITY }]);
  const { user } = await renderIsland(<ProductBuy {...plain} />);
  await user.click(addButton());

  expect(vi.mocked(toast).mock.calls[0]?.[0]).toMatchObject({
    kind: "error",
    title: "Quantité maximale atteinte",
    text: "Le panier ne peut pas contenir plus de 99 exemplaires de cet article.",
  });
  expect(readCart()[0]?.quantity).toBe(MAX_QUANTITY);
});

it.each([
  ["the product", { available: false }],
  ["its only offer", { offers: [offer(null, null, "24.90", { available: false })] }],
  ["every offer", { offers: [] }],
])("disables the button, with the reason, when %s is sold out", async (_what, change) => {
  const { user } = await renderIsland(<ProductBuy {...plain} {...change} />);

  expect(addButton().disabled).toBe(true);
  expect(screen.getByText("Rupture de stock")).toBeTruthy();
  expect(document.querySelector(".buy-bar")).toBeNull();
  await user.click(addButton());
  expect(readCart()).toEqual([]);
});

it("keeps what was chosen in the server's form, and has it drawn", async () => {
  await renderIsland(<ProductBuy {...figurine} />, { values: { finition: "unpainted", format: "3" } });
  expect(radio(/^Non peint/).checked).toBe(true);
  expect(fetchFragment).toHaveBeenCalledOnce();
});

it("stays with the server's choice where the form's can't be bought", async () => {
  await renderIsland(<ProductBuy {...figurine} />, { values: { finition: "unpainted", format: "4" } });
  expect(radio(/^Peint/).checked).toBe(true);
  expect(fetchFragment).not.toHaveBeenCalled();
});

it("opens with a sold-out choice that the address asked for", async () => {
  const selected = { finish: "painted", variation_id: 5 } as const;
  await renderIsland(<ProductBuy {...figurine} selected={selected} />);
  expect(radio(/40 cm/).checked).toBe(true);
  expect(price()).toContain("489,00 €");
  expect(addButton().disabled).toBe(true);
  expect(screen.getByText("Rupture de stock")).toBeTruthy();
});

it("repeats price and button on a bar while the button is out of sight", async () => {
  const { user } = await renderIsland(<ProductBuy {...figurine} />);
  const bar = document.querySelector<HTMLElement>(".buy-bar");
  // As the server drew it, until the browser has looked.
  expect(bar?.hidden).toBe(false);
  act(() => setInSight(true));
  expect(bar?.hidden).toBe(true);
  act(() => setInSight(false));
  expect(bar?.hidden).toBe(false);
  expect(bar?.textContent).toBe("Gardien aux andouillers189,00 €Ajouter");
  await user.click(within(bar as HTMLElement).getByRole("button"));
  expect(readCart()).toHaveLength(1);
});

it("has no barrier that a machine can find", async () => {
  const { container } = await renderIsland(<ProductBuy {...figurine} />);
  expect(await barriers(container)).toEqual([]);
});

it("speaks the language of the page", async () => {
  await renderIsland(<ProductBuy {...figurine} />, { language: "en" });
  expect(screen.getByRole("group", { name: "Finish" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Add to cart" })).toBeTruthy();
});

it("prefers the default among the formats of another finish", () => {
  const all = {
    ...figurine,
    offers: figurine.offers.map((each) => ({ ...each, available: each.variation_id !== 5 })),
  };
  expect(withFinish(all, { finish: "painted", variation_id: 5 }, "unpainted")).toEqual({
    finish: "unpainted",
    variation_id: 3,
  });
  expect(firstChoice({ ...figurine, offers: [] }, { finish: "unpainted", variation_id: 4 })).toEqual({
    finish: "painted",
    variation_id: 3,
  });
});

const soldOut = { ...figurine, available: false };

function answerWith(line: object) {
  const asked = vi.fn(async () => Response.json({ lines: [line] }));
  vi.stubGlobal("fetch", asked);
  return asked;
}

it("tells the visitor whose unpaid order holds the piece that it is theirs", async () => {
  const { finish, variation_id } = figurine.selected;
  writeCart([{ product_id: 12, finish, variation_id, quantity: 1 }]);
  answerWith({ available: true, reserved: true });
  await renderIsland(<ProductBuy {...soldOut} />);
  expect(await screen.findByText(/Cette pièce est réservée pour vous/)).toBeDefined();
  expect(screen.getByRole("link", { name: "Voir le panier" }).getAttribute("href")).toBe("/panier");
  expect(screen.queryByText("Rupture de stock")).toBeNull();
});

it("asks nothing about a sold-out piece that is not in the cart", async () => {
  writeCart([]);
  const asked = answerWith({ available: true, reserved: true });
  await renderIsland(<ProductBuy {...soldOut} />);
  expect(screen.getByText("Rupture de stock")).toBeDefined();
  expect(asked).not.toHaveBeenCalled();
});

it("stays sold out for a visitor whose cart has the piece that somebody else holds", async () => {
  const { finish, variation_id } = figurine.selected;
  writeCart([{ product_id: 12, finish, variation_id, quantity: 1 }]);
  const asked = answerWith({ available: false, reserved: false });
  await renderIsland(<ProductBuy {...soldOut} />);
  await waitFor(() => expect(asked).toHaveBeenCalledOnce());
  expect(screen.getByText("Rupture de stock")).toBeDefined();
});

const lastPiece = (available_quantity: number) => ({
  ...plain,
  offers: [offer(null, null, "24.90", { available_quantity, stock_text: "Dernière pièce" })],
});

it.each([
  [1, "Vous avez déjà la seule pièce dans votre panier"],
  [2, "Vous avez déjà les 2 pièces disponibles dans votre panier"],
])("adds no more than the %s in stock, and says so", async (stock, title) => {
  const { user } = await renderIsland(<ProductBuy {...lastPiece(stock)} />);
  expect(price()).toContain("Dernière pièce");
  for (let count = 0; count < stock; count += 1) await user.click(addButton());
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect(readCart()[0]?.quantity).toBe(stock);

  await user.click(addButton());

  expect(readCart()[0]?.quantity).toBe(stock);
  expect(toast).toHaveBeenCalledExactlyOnceWith({
    kind: "info",
    title,
    link: { href: "/panier", label: "Voir le panier" },
  });
  expect(document.querySelector("dialog")?.open).toBe(false);
});
