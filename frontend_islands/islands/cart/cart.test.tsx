import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { readCart } from "@/lib/cart-storage";
import { type Toast, toast } from "@/lib/toast";
import { askEarly, earlyArrival, quoteQuestion } from "@/purchase/early";
import { FORM_KEY } from "@/purchase/tab-memory";
import { barriers } from "@/testing/accessibility";
import {
  answerTo,
  bust,
  checkoutLink,
  fill,
  guardian,
  island,
  removeButton,
  startEmpty,
} from "@/testing/cart";
import { soldOut } from "@/testing/checkout";
import { cartLine, hint, inThreeTimes, json, quote, quoted, serve } from "@/testing/purchase";
import { renderIsland } from "@/testing/render";

vi.mock("@/lib/toast");

const lastToast = () => vi.mocked(toast).mock.lastCall?.[0] as Toast;

beforeEach(() => {
  startEmpty();
  vi.mocked(toast).mockReset();
});

it("takes the price that the page's head asked for, and asks itself after a change", async () => {
  fill(guardian);
  const calls = serve({ "/api/cart/quote": answerTo(guardian) });
  askEarly(quoteQuestion([cartLine(guardian)], "FR"));
  const { user } = await renderIsland(island);

  await screen.findByText("Gardien");
  expect(calls).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" }));
  await waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]?.body.lines[0].quantity).toBe(3);
});

it("is drawn with the price from the start when it is here already", async () => {
  fill(guardian);
  const calls = serve({ "/api/cart/quote": answerTo(guardian) });
  askEarly(quoteQuestion([cartLine(guardian)], "FR"));
  await earlyArrival();
  await renderIsland(island);

  expect(screen.getByText("Gardien")).toBeTruthy();
  expect(checkoutLink().getAttribute("href")).toBe("/checkout");
  expect(calls).toHaveLength(1);
});

it("asks itself when the answer to the page's head got lost", async () => {
  fill(guardian);
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  askEarly(quoteQuestion([cartLine(guardian)], "FR"));
  serve({ "/api/cart/quote": answerTo(guardian) });
  const { user } = await renderIsland(island);

  const alert = await screen.findByRole("alert");
  await user.click(within(alert).getByRole("button", { name: "Réessayer" }));
  expect(await screen.findByText("Gardien")).toBeTruthy();
});

it("says what a reduced piece cost before, as the server tells", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo({ ...guardian, original_price: "219.00" }) });
  await renderIsland(island);
  const old = (await screen.findByText("au lieu de")).closest("s");
  expect(old?.textContent?.replace(/\s/g, " ")).toBe("au lieu de 219,00 €");
});

it("asks for the price of what is kept and shows the server's figures", async () => {
  const free = { ...guardian, quantity: 3, free_quantity: 1, promotion_label: "2 ACHETÉS 1 OFFERT" };
  fill(free);
  const calls = serve({
    "/api/cart/quote": () =>
      json(
        quote([free], {
          item_count: 3,
          original_total: "567.00",
          promotion_savings: "189.00",
          next_free: [hint()],
        }),
      ),
  });
  await renderIsland(island);

  expect(await screen.findByRole("link", { name: "Gardien" })).toHaveProperty(
    "href",
    "http://localhost:3000/produit/12-gardien",
  );
  expect(calls.map(({ path, body }) => [path, body])).toEqual([
    [
      "/api/cart/quote",
      { lines: [{ product_id: 12, variation_id: 3, finish: "painted", quantity: 3 }], country: "FR" },
    ],
  ]);
  expect(screen.getByText("Peint")).toBeTruthy();
  expect(screen.getByText("15 cm")).toBeTruthy();
  expect(screen.getByText("2 ACHETÉS 1 OFFERT")).toBeTruthy();
  expect(screen.getByText("189,00 € l'unité")).toBeTruthy();
  const freeRow = screen.getByText("dont 1 × Gardien").closest("li") as HTMLElement;
  expect(within(freeRow).getByText("OFFERT")).toBeTruthy();
  const rows = [...document.querySelectorAll(".order-summary__row")].map((row) =>
    [...row.children].map((part) => part.textContent?.replace(/\s/g, " ")),
  );
  expect(rows).toEqual([
    ["Articles (3)", "567,00 €"],
    ["Promotions", "−189,00 €"],
    ["Sous-total", "378,00 €"],
    ["Livraison", "Offerte"],
    ["Total", "378,00 €"],
  ]);
  expect(screen.getByText(hint().text)).toBeTruthy();
  expect(screen.getByText("Livraison entre le 8 et le 24 décembre 2026")).toBeTruthy();
  expect(screen.getByText("La livraison est offerte.")).toBeTruthy();
  expect(checkoutLink().getAttribute("href")).toBe("/checkout");
});

it("says how far free delivery is", async () => {
  fill(bust);
  serve({
    "/api/cart/quote": () =>
      json(quote([bust], { free_shipping_missing: "12.00", free_shipping_share: 76, shipping_cost: "9.99" })),
  });
  const { container } = await renderIsland(island);

  const amount = await screen.findByText("12,00 €");
  expect(amount.parentElement?.textContent?.replace(/\s/g, " ")).toBe(
    "Plus que 12,00 € pour la livraison offerte",
  );
  expect(container.querySelector("progress")?.value).toBe(76);
});

it("says nothing of free delivery where there is none", async () => {
  fill(bust);
  serve({ "/api/cart/quote": () => json(quote([bust], { free_shipping_missing: null })) });
  const { container } = await renderIsland(island);

  await screen.findByText("Buste");
  expect(container.querySelector(".free-delivery")).toBeNull();
});

it("shows what three payments would be, where they are offered", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": () => json(quote([guardian], { installments: inThreeTimes })) });
  await renderIsland(island);
  const offer = await screen.findByRole("region", { name: "En 3 fois, sans frais" });
  expect(
    within(offer)
      .getAllByRole("definition")
      .map((amount) => amount.textContent?.replace(/\s/g, " ")),
  ).toEqual(["126,00 €", "126,00 €", "126,00 €"]);
  expect(within(offer).getByText("21 décembre 2026")).toBeTruthy();
});

it("says that an empty cart is empty and asks nothing", async () => {
  const calls = serve({});
  await renderIsland(island);

  expect(screen.getByRole("heading", { name: "Votre panier est vide" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Voir les figurines" }).getAttribute("href")).toBe("/produits");
  expect(calls).toEqual([]);
});

it("changes the quantity, never below one", async () => {
  fill(guardian);
  const answer = answerTo(guardian);
  serve({ "/api/cart/quote": answer });
  const { user } = await renderIsland(island);
  const less = await screen.findByRole("button", { name: "Diminuer la quantité\u00a0: Gardien" });

  await user.click(less);
  expect(readCart()[0]?.quantity).toBe(1);
  expect(less.getAttribute("aria-disabled")).toBe("true");
  await user.click(less);
  expect(readCart()[0]?.quantity).toBe(1);
  expect(document.activeElement).toBe(less);

  await user.click(screen.getByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" }));
  expect(readCart()[0]?.quantity).toBe(2);
});

it("takes a typed quantity when the field is left, and leaves nonsense alone", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian) });
  const { user } = await renderIsland(island);
  const field = await screen.findByRole("textbox", { name: "Quantité\u00a0: Gardien" });

  await user.clear(field);
  await user.type(field, "7{Enter}");
  expect(readCart()[0]?.quantity).toBe(7);
  for (const nonsense of ["0", "-1", "1.5", "abc"]) {
    await user.clear(field);
    await user.type(field, nonsense);
    await user.tab();
    expect(readCart()[0]?.quantity).toBe(7);
    expect(field).toHaveProperty("value", "7");
  }
  await user.clear(field);
  await user.type(field, "500{Enter}");
  expect(readCart()[0]?.quantity).toBe(99);
  expect(screen.getByText("Quantité maximale : 99")).toBeTruthy();
});

it("stops at what is in stock and says so", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo({ ...guardian, available_quantity: 2 }) });
  const { user } = await renderIsland(island);

  const more = await screen.findByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" });
  await user.click(more);
  expect(readCart()[0]?.quantity).toBe(2);
  expect(more.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByText("Quantité maximale : 2")).toBeTruthy();
});

it("asks once for a run of clicks, and the last question's answer counts", async () => {
  fill(guardian);
  const answers: ((response: Response) => void)[] = [];
  const calls = serve({
    "/api/cart/quote": () => new Promise<Response>((resolve) => answers.push(resolve)),
  });
  const { user } = await renderIsland(island);
  await waitFor(() => expect(answers).toHaveLength(1));
  await act(async () => answers[0]?.(json(quote())));

  const more = await screen.findByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" });
  await user.tripleClick(more);
  await waitFor(() => expect(answers).toHaveLength(2));
  await user.click(more);
  await waitFor(() => expect(answers).toHaveLength(3));
  await act(async () => answers[2]?.(json(quote([{ ...guardian, line_total: "1134.00" }]))));
  await act(async () => answers[1]?.(json(quote([{ ...guardian, line_total: "945.00" }]))));

  expect(calls.map(({ body }) => body.lines[0].quantity)).toEqual([2, 5, 6]);
  expect(screen.getByText("1 134,00 €")).toBeTruthy();
  expect(screen.queryByText("945,00 €")).toBeNull();
});

it("removes a line, leads the focus to the next one and can undo it", async () => {
  fill(guardian, bust);
  serve({ "/api/cart/quote": answerTo(guardian, bust) });
  const { user } = await renderIsland(island);
  await screen.findByText("Buste");

  await user.click(removeButton("Gardien"));
  expect(readCart()).toEqual([cartLine(bust)]);
  expect(document.activeElement).toBe(removeButton("Buste"));
  expect(lastToast()).toMatchObject({
    kind: "success",
    title: "Produit retiré",
    action: { label: "Annuler" },
  });

  act(() => lastToast().action?.run());
  expect(readCart()).toEqual([cartLine(bust), cartLine(guardian)]);
  expect(await screen.findByText("Gardien")).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Articles du panier" }));
});

it("leads the focus to the empty cart's heading after the last line", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian) });
  const { user } = await renderIsland(island);
  await screen.findByText("Gardien");

  await user.click(removeButton("Gardien"));
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Votre panier est vide" }));
  expect(screen.getByRole("status").textContent).toBe("Votre panier est vide");
});

it("asks before it empties the cart", async () => {
  fill(guardian, bust);
  serve({ "/api/cart/quote": answerTo(guardian, bust) });
  const { user } = await renderIsland(island);
  await screen.findByText("Buste");

  await user.click(screen.getByRole("button", { name: "Vider le panier" }));
  const dialog = screen.getByRole("dialog", { name: /Vider le panier/ });
  await user.click(within(dialog).getByRole("button", { name: "Garder mes articles" }));
  expect(readCart()).toHaveLength(2);
  expect(screen.queryByRole("dialog")).toBeNull();

  await user.click(screen.getByRole("button", { name: "Vider le panier" }));
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Vider le panier" }));
  expect(readCart()).toEqual([]);
  expect(lastToast()).toEqual({ kind: "success", title: "Panier vidé" });
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Votre panier est vide" }));
});

it("asks for another country's delivery and remembers it", async () => {
  fill(guardian);
  const calls = serve({
    "/api/cart/quote": ({ body }) => json(quote([guardian], { customs_notice: body.country === "CH" })),
  });
  const { user, unmount } = await renderIsland(island);
  const select = await screen.findByRole("combobox", { name: "Livrer vers" });
  await screen.findByText("Gardien");

  await user.selectOptions(select, "Suisse");
  expect(await screen.findByText("Droits et taxes d'importation à votre charge.")).toBeTruthy();
  await waitFor(() => expect(calls.map(({ body }) => body.country)).toEqual(["FR", "CH"]));
  unmount();
  await renderIsland(island);
  expect(screen.getByRole("combobox")).toHaveProperty("value", "CH");
});

it("announces what a change cost", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian) });
  const { user } = await renderIsland(island);
  await screen.findByText("Gardien");
  expect(screen.getByRole("status").textContent).toBe("");

  await user.click(screen.getByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" }));
  await waitFor(() =>
    expect(screen.getByRole("status").textContent?.replace(/\s/g, " ")).toBe(
      "Panier mis à jour. Articles : 2. Total : 378,00 €.",
    ),
  );
});

it.each([
  ["en", "Check out", "Summary"],
  ["es", "Realizar el pedido", "Resumen"],
  ["de", "Zur Kasse", "Übersicht"],
] as const)("speaks %s, without barriers", async (language, checkout, title) => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo({ ...guardian, free_quantity: 1 }) });
  const { container } = await renderIsland(island, { language });

  expect(await screen.findByRole("link", { name: checkout })).toBeTruthy();
  expect(screen.getByRole("complementary", { name: title })).toBeTruthy();
  expect(await barriers(container)).toEqual([]);
});

it("says which pieces are reserved for the visitor", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo({ ...guardian, reserved: true }) });
  renderIsland(island);
  expect(await screen.findByText("Réservé pour vous")).toBeDefined();
});

it("prices the postcode that was typed into the checkout and says so", async () => {
  fill(guardian);
  sessionStorage.setItem(FORM_KEY, JSON.stringify({ texts: { postalCode: " 97400 " } }));
  const calls = serve({ "/api/cart/quote": answerTo(guardian) });
  await renderIsland(island);
  expect(await screen.findByText("Calculée pour le code postal 97400.")).toBeTruthy();
  expect(calls[0]?.body).toMatchObject({ country: "FR", postal_code: "97400" });
});

it("promises no delivery for a cart in which nothing can be bought", async () => {
  const gone = quoted({ ...soldOut, quantity: 1 });
  fill(gone);
  const empty = { item_count: 0, original_total: "0.00", subtotal: "0.00", total: "0.00", lead_time: null };
  serve({
    "/api/cart/quote": () =>
      json(quote([gone], { ...empty, free_shipping_missing: "50.00", free_shipping_share: 0 })),
  });
  await renderIsland(island);
  expect(await screen.findByText("Rupture de stock")).toBeTruthy();
  expect(screen.queryByText(/pour la livraison offerte/)).toBeNull();
  expect(screen.queryByText("Offerte")).toBeNull();
  expect(screen.getByText("Livraison").nextElementSibling?.textContent).toBe("–");
});

it("adds the pieces that complete an offer with one press", async () => {
  fill({ ...guardian, quantity: 1 });
  const one = { ...guardian, quantity: 1 };
  serve({ "/api/cart/quote": () => json(quote([one], { item_count: 1, next_free: [hint()] })) });
  const { user } = await renderIsland(island);

  await user.click(await screen.findByRole("button", { name: "Ajouter 2 × Gardien" }));

  expect(readCart()).toEqual([{ product_id: 12, variation_id: 3, finish: "painted", quantity: 3 }]);
  expect(lastToast()).toMatchObject({ kind: "success", text: "Gardien" });
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Récapitulatif" }));
});

it("names one missing piece, and offers no button when none is left", async () => {
  fill(guardian);
  const one = hint({ suggestion: { ...hint().suggestion, name: "Gardien", quantity: 1 } as never });
  const none = hint({ label: "3 achetés, 1 offert", suggestion: null });
  serve({ "/api/cart/quote": () => json(quote([guardian], { next_free: [one, none] })) });
  await renderIsland(island);

  await screen.findByRole("button", { name: "Ajouter Gardien" });
  expect(screen.getAllByText(hint().text)).toHaveLength(2);
  expect(screen.getAllByRole("button", { name: /Ajouter/ })).toHaveLength(1);
});
