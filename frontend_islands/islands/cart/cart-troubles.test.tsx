import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { $lines, type CartLine } from "@/lib/cart";
import { CART_KEY, readCart, readNames, writeCart } from "@/lib/cart-storage";
import { toast } from "@/lib/toast";
import { COUNTRY_KEY, FORM_KEY, writeTab } from "@/purchase/tab-memory";
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
import { cartLine, json, problem, quote, serve } from "@/testing/purchase";
import { renderIsland } from "@/testing/render";

vi.mock("@/lib/toast");

beforeEach(() => {
  startEmpty();
  vi.mocked(toast).mockReset();
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

it("calls a piece that left the catalogue what it was called, and forgets the name with the piece", async () => {
  const gone = { ...bust, name: "", available: false, unit_price: null, problem: "unknown_product" };
  const { name, product_id } = bust;
  fill(bust);
  serve({ "/api/cart/quote": answerTo(bust) });
  const { unmount } = await renderIsland(island);
  expect(await screen.findByRole("heading", { name })).toBeTruthy();
  await waitFor(() => expect(readNames()).toEqual({ [product_id]: name }));
  unmount();

  serve({ "/api/cart/quote": answerTo(gone) });
  const { user } = await renderIsland(island);
  expect(await screen.findByRole("heading", { name })).toBeTruthy();
  expect(screen.queryByText(/Article n°/)).toBeNull();
  await user.click(removeButton(name));
  expect(readNames()).toEqual({});
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
  await user.click(screen.getByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" }));
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
    writeCart([cartLine(bust)]);
    dispatchEvent(new StorageEvent("storage", { key: CART_KEY }));
  });
  expect(await screen.findByText("Buste")).toBeTruthy();
  expect(screen.queryByText("Gardien")).toBeNull();
  expect($lines.get()).toEqual([cartLine(bust)]);
});

it("takes country and postcode of the checkout when the browser shows the page as it was left", async () => {
  fill(guardian);
  const calls = serve({ "/api/cart/quote": answerTo(guardian) });
  await renderIsland(island);
  await screen.findByText("Gardien");
  writeTab(COUNTRY_KEY, "CH");
  writeTab(FORM_KEY, { texts: { postalCode: "1200" } });

  act(() => {
    dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  });
  expect(screen.getByRole("combobox", { name: "Livrer vers" })).toHaveProperty("value", "CH");
  await waitFor(() => expect(calls.at(-1)?.body).toMatchObject({ country: "CH", postal_code: "1200" }));
});

it("finds the kept line behind an article whose default format the server filled in", async () => {
  writeCart([{ product_id: 12, variation_id: null, finish: null, quantity: 2 }]);
  dispatchEvent(new StorageEvent("storage", { key: CART_KEY }));
  serve({ "/api/cart/quote": () => json(quote()) });
  const { user } = await renderIsland(island);

  await screen.findByText("Gardien");
  await user.click(screen.getByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" }));
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

  expect(await screen.findByRole("textbox", { name: "Quantité\u00a0: Gardien" })).toHaveProperty(
    "value",
    "3",
  );
  await user.click(screen.getByRole("button", { name: "Augmenter la quantité\u00a0: Gardien" }));
  expect(readCart()).toEqual([{ product_id: 12, variation_id: null, finish: null, quantity: 4 }]);
});

it("tells once who comes from a payment page that nothing was paid", async () => {
  fill(guardian);
  serve({ "/api/cart/quote": answerTo(guardian) });
  history.replaceState(null, "", "/panier?payment=left");
  const first = await renderIsland(island);
  const text =
    "Vous avez quitté la page de paiement : votre commande n'est pas payée. Votre panier n'a pas changé.";
  expect(screen.getByText(text).getAttribute("role")).toBe("status");
  expect(location.href).toBe("http://localhost:3000/panier");
  expect(await barriers(first.container)).toEqual([]);

  first.unmount();
  await renderIsland(island);
  expect(screen.queryByText(text)).toBeNull();
});
