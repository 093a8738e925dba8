import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { goTo } from "@/lib/navigate";
import {
  field,
  fillIn,
  openCheckout,
  PAY_PAGE,
  payButton,
  placed,
  soldOut,
  startShopping,
  termsBox,
} from "@/testing/checkout";
import { json, problem, quote, quoted } from "@/testing/purchase";

vi.mock("@/lib/toast");
vi.mock("@/lib/navigate");

beforeEach(startShopping);

it("asks again for terms that changed, and sends the version that was read", async () => {
  const detail = "Les conditions générales de vente ont changé.";
  const { user, orders } = await openCheckout({
    checkout: ({ body }) =>
      body.terms_version === "2026-12-01.1"
        ? placed()
        : problem(409, "terms_changed", detail, {
            errors: { accept_terms: [detail] },
            terms_version: "2026-12-01.1",
          }),
  });
  await fillIn(user);
  await user.click(payButton());

  await waitFor(() => expect(termsBox()).toHaveProperty("checked", false));
  expect(screen.getAllByText(detail).length).toBeGreaterThan(0);
  await user.click(termsBox());
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  expect(orders().map(({ body }) => body.terms_version)).toEqual(["2026-11-01.1", "2026-12-01.1"]);
});

it("shows what changed and orders the accepted total", async () => {
  const dearer = quote([quoted({ unit_price: "199.00", line_total: "398.00" })], {
    shipping_cost: "9.99",
    total: "407.99",
  });
  const { user, orders } = await openCheckout({
    checkout: ({ body }) =>
      body.expected_total === "407.99"
        ? placed()
        : problem(409, "total_changed", "Le total de votre panier a changé.", { quote: dearer }),
  });
  await fillIn(user);
  await user.click(payButton());

  const changes = await screen.findByRole("alert");
  expect(document.activeElement).toBe(changes);
  const rows = within(changes)
    .getAllByRole("row")
    .map((row) => [...row.children].map((cell) => cell.textContent?.replace(/\s/g, " ")));
  expect(rows).toEqual([
    ["Ce qui change", "Avant", "Maintenant"],
    ["Gardien", "378,00 €", "398,00 €"],
    ["Livraison", "0,00 €", "9,99 €"],
    ["Total", "378,00 €", "407,99 €"],
  ]);
  expect(payButton().getAttribute("aria-disabled")).toBe("true");
  await user.click(payButton());
  expect(orders()).toHaveLength(1);

  await user.click(within(changes).getByRole("button", { name: /Accepter le nouveau total/ }));
  expect(document.activeElement).toBe(payButton());
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  const [refused, accepted] = orders().map(({ headers }) => headers["Idempotency-Key"]);
  expect(accepted).not.toBe(refused);
});

it("compares with what was on screen, also when the address's own total came before the refusal", async () => {
  const dearer = quote([quoted()], { shipping_cost: "29.99", total: "407.99" });
  let answerAddress: ((response: Response) => void) | undefined;
  const { user } = await openCheckout({
    quote: ({ body }) =>
      JSON.stringify(body).includes("75006")
        ? new Promise<Response>((resolve) => {
            answerAddress = resolve;
          })
        : json(quote()),
    checkout: async () => {
      await waitFor(() => expect(answerAddress).toBeTruthy());
      answerAddress?.(json(dearer));
      await screen.findAllByText(/407,99/);
      return problem(409, "total_changed", "Le total de votre panier a changé.", { quote: dearer });
    },
  });
  await fillIn(user);
  await user.click(payButton());

  const total = await screen.findByRole("row", { name: /^Total/ });
  expect(total.textContent?.replace(/\s/g, " ")).toBe("Total378,00 €407,99 €");
});

it.each(["out_of_stock", "line_unavailable"])("offers only the cart after %s", async (code) => {
  const { user } = await openCheckout({
    checkout: () =>
      problem(409, code, "Rupture de stock", { quote: quote([quoted(soldOut)], { total: "0.00" }) }),
  });
  await fillIn(user);
  await user.click(payButton());

  const changes = await screen.findByRole("alert");
  expect(within(changes).getByRole("row", { name: /Gardien.*Rupture de stock/ })).toBeTruthy();
  expect(within(changes).queryByRole("button")).toBeNull();
  expect(within(changes).getByRole("link", { name: "Retour au panier" }).getAttribute("href")).toBe(
    "/panier",
  );
});

it("forgets a change that another country has overtaken", async () => {
  const { user } = await openCheckout({
    checkout: () => problem(409, "total_changed", "…", { quote: quote([quoted()], { total: "400.00" }) }),
  });
  await fillIn(user);
  await user.click(payButton());
  await screen.findByRole("alert");
  await user.selectOptions(field("Pays"), "Suisse");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("survives a changed total whose quote is damaged", async () => {
  const { user } = await openCheckout({
    checkout: () => problem(409, "total_changed", "Le total a changé.", { quote: { lines: "?" } }),
  });
  await fillIn(user);
  await user.click(payButton());
  expect((await screen.findByRole("alert")).textContent).toBe("ErreurLe total a changé.");
});
