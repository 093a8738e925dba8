import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { $lines, addToCart, type CartLine, clearCart } from "@/lib/cart";
import { CART_KEY, readCart, writeCart } from "@/lib/cart-storage";
import { type Toast, toast } from "@/lib/toast";
import { COUNTRY_KEY } from "@/purchase/session";
import { barriers } from "@/testing/accessibility";
import { type Asked, countries, json, kept, problem, quote, quoted, serve } from "@/testing/purchase";
import { renderIsland } from "@/testing/render";
import { Cart } from "./cart";

vi.mock("@/lib/toast");
// Whole forms are filled in here, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });

const links = { catalogue: "/produits", checkout: "/checkout" };
const island = <Cart countries={countries} home_country="FR" links={links} />;

const guardian = quoted();
const bust = quoted({
  key: "20::",
  product_id: 20,
  variation_id: null,
  finish: null,
  name: "Buste",
  finish_label: "",
  variation_name: "",
  quantity: 1,
  unit_price: "40.00",
  line_total: "40.00",
});

/** Prices what was asked: quantities as sent, amounts as in the fixtures. */
const answerTo = (...lines: (typeof guardian)[]) =>
  vi.fn(({ body }: Asked) => {
    const found = (body.lines as CartLine[]).flatMap((line) => {
      const known = lines.find((each) => each.product_id === line.product_id);
      return known ? [{ ...known, quantity: line.quantity }] : [];
    });
    return json(quote(found, { country: body.country }));
  });

function fill(...lines: (typeof guardian)[]) {
  for (const line of lines) addToCart(kept(line), line.quantity);
}

const lastToast = () => vi.mocked(toast).mock.lastCall?.[0] as Toast;
const removeButton = (name: string) => screen.getByRole("button", { name: `Retirer ${name}` });
const checkoutLink = () => screen.getByRole("link", { name: "Passer la commande" });

beforeEach(() => {
  clearCart();
  vi.mocked(toast).mockReset();
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
    this.dispatchEvent(new Event("close"));
  };
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
          next_free: ["Encore 2 pièces."],
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
  const rows = [...document.querySelectorAll(".slip__row")].map((row) =>
    [...row.children].map((part) => part.textContent?.replace(/\s/g, " ")),
  );
  expect(rows).toEqual([
    ["Articles (3)", "567,00 €"],
    ["Promotions", "-189,00 €"],
    ["Sous-total", "378,00 €"],
    ["Livraison", "Offerte"],
    ["Total", "378,00 €"],
  ]);
  expect(screen.getByText("Encore 2 pièces.")).toBeTruthy();
  expect(screen.getByText("Livraison entre le 8 décembre 2026 et le 24 décembre 2026")).toBeTruthy();
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
  expect(container.querySelector(".ruler")).toBeNull();
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
  const less = await screen.findByRole("button", { name: "Diminuer la quantité de Gardien" });

  await user.click(less);
  expect(readCart()[0]?.quantity).toBe(1);
  expect(less.getAttribute("aria-disabled")).toBe("true");
  await user.click(less);
  expect(readCart()[0]?.quantity).toBe(1);
  expect(document.activeElement).toBe(less);

  await user.click(screen.getByRole("button", { name: "Augmenter la quantité de Gardien" }));
  expect(readCart()[0]?.quantity).toBe(2);
});

it("takes a typed quantity when the field is left, and leaves nonsense alone", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian) });
  const { user } = await renderIsland(island);
  const field = await screen.findByRole("textbox", { name: "Quantité de Gardien" });

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
});

it("stops at what is in stock and says so", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo({ ...guardian, available_quantity: 2 }) });
  const { user } = await renderIsland(island);

  const more = await screen.findByRole("button", { name: "Augmenter la quantité de Gardien" });
  await user.click(more);
  expect(readCart()[0]?.quantity).toBe(2);
  expect(more.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByText("Quantité maximale atteinte")).toBeTruthy();
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

  const more = await screen.findByRole("button", { name: "Augmenter la quantité de Gardien" });
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
  expect(readCart()).toEqual([kept(bust)]);
  expect(document.activeElement).toBe(removeButton("Buste"));
  expect(lastToast()).toMatchObject({
    kind: "success",
    title: "Produit retiré",
    action: { label: "Annuler" },
  });

  act(() => lastToast().action?.run());
  expect(readCart()).toEqual([kept(bust), kept(guardian)]);
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

it("explains what can't be bought and keeps the checkout shut until it is settled", async () => {
  const short = {
    ...guardian,
    quantity: 5,
    available: false,
    available_quantity: 2,
    unit_price: "189.00",
    line_total: "0.00",
    problem: "insufficient_stock",
    problem_detail: "Il n'en reste que 2 exemplaires.",
  };
  const gone = {
    ...bust,
    name: "",
    url: "",
    image: null,
    available: false,
    unit_price: null,
    line_total: "0.00",
    available_quantity: 0,
    problem: "unknown_product",
    problem_detail: "Cette pièce n'est plus au catalogue.",
  };
  fill(short, gone);
  serve({
    "/api/cart/quote": ({ body }) => {
      const fits = body.lines[0].quantity <= 2;
      const lines = body.lines.map((line: CartLine) =>
        line.product_id === 20 ? gone : fits ? guardian : short,
      );
      return json(quote(lines));
    },
  });
  const { user, container } = await renderIsland(island);

  expect(await screen.findByText("Il n'en reste que 2 exemplaires.")).toBeTruthy();
  expect(screen.getByText("Article n° 20")).toBeTruthy();
  expect(checkoutLink().getAttribute("href")).toBeNull();
  expect(checkoutLink().getAttribute("aria-disabled")).toBe("true");
  expect(
    screen.getByText("Retirez ou modifiez les articles indisponibles pour passer la commande."),
  ).toBeTruthy();
  expect(await barriers(container)).toEqual([]);

  await user.click(screen.getByRole("button", { name: "Mettre la quantité à 2" }));
  expect(readCart()[0]?.quantity).toBe(2);
  expect(document.activeElement).toBe(removeButton("Gardien"));
  await waitFor(() => expect(screen.queryByText("Il n'en reste que 2 exemplaires.")).toBeNull());
  expect(checkoutLink().getAttribute("href")).toBeNull();

  await user.click(screen.getByRole("button", { name: /Retirer Article n°\s20/ }));
  await waitFor(() => expect(checkoutLink().getAttribute("href")).toBe("/checkout"));
});

it("asks for another country's delivery and remembers it", async () => {
  fill(guardian);
  const calls = serve({ "/api/cart/quote": answerTo(guardian) });
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

it.each([['"XX"'], ["{"], ["42"]])("starts at home when the remembered country is %s", async (raw) => {
  sessionStorage.setItem(COUNTRY_KEY, raw);
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian) });
  await renderIsland(island);
  expect(screen.getByRole("combobox")).toHaveProperty("value", "FR");
});

it.each([
  [
    "the shop is out of reach",
    () => Promise.reject(new TypeError("Failed to fetch")),
    "La boutique ne répond pas.",
  ],
  [
    "the server fails",
    () => problem(500, "server_error", "Une erreur est survenue de notre côté."),
    "Une erreur est survenue de notre côté.",
  ],
  [
    "the answer is another page",
    () => new Response("<h1>502</h1>", { status: 502 }),
    "Une erreur est survenue. Réessayez dans un instant.",
  ],
  [
    "the quote is damaged",
    () => json({ ...quote(), total: "NaN" }),
    "Une erreur est survenue. Réessayez dans un instant.",
  ],
  [
    "the quote has no lines",
    () => json({ total: "12.00" }),
    "Une erreur est survenue. Réessayez dans un instant.",
  ],
])("keeps the lines on screen and offers to retry when %s", async (_what, fail, sentence) => {
  fill(guardian);
  let isFailing = false;
  serve({ "/api/cart/quote": () => (isFailing ? fail() : json(quote())) });
  const { user } = await renderIsland(island);
  await screen.findByText("Gardien");

  isFailing = true;
  await user.click(screen.getByRole("button", { name: "Augmenter la quantité de Gardien" }));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain(sentence);
  expect(screen.getByText("Gardien")).toBeTruthy();
  expect(readCart()[0]?.quantity).toBe(3);
  expect(checkoutLink().getAttribute("aria-disabled")).toBe("true");

  isFailing = false;
  await user.click(within(alert).getByRole("button", { name: "Réessayer" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  expect(document.activeElement).not.toBe(document.body);
  await waitFor(() => expect(checkoutLink().getAttribute("href")).toBe("/checkout"));
});

it("says how much is in the cart when not even the first price came", async () => {
  fill(guardian, bust);
  serve({ "/api/cart/quote": () => problem(503, "unavailable", "") });
  await renderIsland(island);

  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(screen.getByText("Votre panier contient 2 articles.")).toBeTruthy();
});

it("follows another tab", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian, bust) });
  await renderIsland(island);
  await screen.findByText("Gardien");

  act(() => {
    writeCart([kept(bust)]);
    dispatchEvent(new StorageEvent("storage", { key: CART_KEY }));
  });
  expect(await screen.findByText("Buste")).toBeTruthy();
  expect(screen.queryByText("Gardien")).toBeNull();
  expect($lines.get()).toEqual([kept(bust)]);
});

it("finds the kept line behind an article whose default format the server filled in", async () => {
  writeCart([{ product_id: 12, variation_id: null, finish: null, quantity: 2 }]);
  dispatchEvent(new StorageEvent("storage", { key: CART_KEY }));
  serve({ "/api/cart/quote": () => json(quote()) });
  const { user } = await renderIsland(island);

  await screen.findByText("Gardien");
  await user.click(screen.getByRole("button", { name: "Augmenter la quantité de Gardien" }));
  expect(readCart()).toEqual([{ product_id: 12, variation_id: null, finish: null, quantity: 3 }]);
  await user.click(removeButton("Gardien"));
  expect(readCart()).toEqual([]);
});

it("joins kept lines that are one article to the server", async () => {
  writeCart([
    { product_id: 12, variation_id: null, finish: null, quantity: 1 },
    { product_id: 12, variation_id: 3, finish: "painted", quantity: 2 },
  ]);
  dispatchEvent(new StorageEvent("storage", { key: CART_KEY }));
  serve({ "/api/cart/quote": () => json(quote([{ ...guardian, quantity: 3 }])) });
  const { user } = await renderIsland(island);

  expect(await screen.findByRole("textbox", { name: "Quantité de Gardien" })).toHaveProperty("value", "3");
  await user.click(screen.getByRole("button", { name: "Augmenter la quantité de Gardien" }));
  expect(readCart()).toEqual([{ product_id: 12, variation_id: null, finish: null, quantity: 4 }]);
});

it("announces what a change cost", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian) });
  const { user } = await renderIsland(island);
  await screen.findByText("Gardien");
  expect(screen.getByRole("status").textContent).toBe("");

  await user.click(screen.getByRole("button", { name: "Augmenter la quantité de Gardien" }));
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
