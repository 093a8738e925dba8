import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { goTo } from "@/lib/navigate";
import { toast } from "@/lib/toast";
import { barriers } from "@/testing/accessibility";
import { field, fillIn, openCheckout, PAY_PAGE, payButton, startShopping } from "@/testing/checkout";
import { inThreeTimes, json, problem, quote, quoted } from "@/testing/purchase";
import { dropAttempt } from "./use-order";

vi.mock("@/lib/toast");
vi.mock("@/lib/navigate");

beforeEach(startShopping);

const modes = ["full", "installments"] as const;
const offered = () => json(quote([quoted()], { installments: inThreeTimes }));
const choice = () => screen.getByRole("radio", { name: /Payer en 3 fois/ });
const plain = (text: string | null | undefined) => text?.replace(/\s/g, " ");
const parts = () => {
  const plan = screen.getByRole("region", { name: "En 3 fois, sans frais" });
  return within(plan)
    .getAllByRole("definition")
    .map((amount) => [plain(amount.previousElementSibling?.textContent), plain(amount.textContent)]);
};

it("shows every amount, every day and what is authorised before the order is sent", async () => {
  const { user, orders, container } = await openCheckout({ quote: offered, modes: [...modes] });
  expect(screen.queryByRole("region", { name: "En 3 fois, sans frais" })).toBeNull();
  await fillIn(user);
  await user.click(choice());

  expect(parts()).toEqual([
    ["Aujourd'hui", "126,00 €"],
    ["21 décembre 2026", "126,00 €"],
    ["20 janvier 2027", "126,00 €"],
  ]);
  expect(screen.getByText(inThreeTimes.mandate)).toBeTruthy();
  expect(await barriers(container)).toEqual([]);
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  expect(orders()[0]?.body).toMatchObject({ payment_mode: "installments", expected_total: "378.00" });
});

it.each([
  ["the shop does not offer it", { ...inThreeTimes, available: false, mandate: "" }],
  ["the cart is too small", { available: false, minimum: "150.00", plan: [], mandate: "" }],
])("is no choice while %s", async (_why, installments) => {
  await openCheckout({ quote: () => json(quote([quoted()], { installments })), modes: [...modes] });
  expect(screen.queryByRole("radio", { name: /3 fois/ })).toBeNull();
});

it("goes back to paying at once, and says why, when the total falls below the minimum", async () => {
  let installments = inThreeTimes;
  const { user, orders } = await openCheckout({
    quote: () => json(quote([quoted()], { installments })),
    modes: [...modes],
  });
  await fillIn(user);
  await user.click(choice());
  installments = { available: false, minimum: "150.00", plan: [], mandate: "" };
  await user.selectOptions(field("Pays"), "Suisse");

  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(vi.mocked(toast).mock.lastCall?.[0]).toEqual({
    kind: "error",
    title: "Montant insuffisant",
    text: "Le paiement en 3 fois nécessite un montant minimum de 150€",
  });
  expect(screen.queryByRole("radio", { name: /3 fois/ })).toBeNull();
  await waitFor(() => expect(payButton().getAttribute("aria-disabled")).toBe("false"));
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.payment_mode).toBe("full");
});

it("still pays as it was about to when the customer comes back from the payment page", async () => {
  const { user } = await openCheckout({ quote: offered, modes: [...modes] });
  await fillIn(user);
  await user.click(choice());
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledOnce());
  cleanup();

  await openCheckout({ quote: offered, modes: [...modes] });
  expect(choice()).toHaveProperty("checked", true);
  expect(parts()[0]).toEqual(["Aujourd'hui", "126,00 €"]);
  cleanup();

  // Another order than that one.
  dropAttempt();
  await openCheckout({ quote: offered, modes: [...modes] });
  expect(choice()).toHaveProperty("checked", false);
});

it("names a refusal of the server by its reason", async () => {
  const refused = "Le paiement en 3 fois nécessite un montant minimum de 150€";
  const { user } = await openCheckout({
    quote: offered,
    modes: [...modes],
    checkout: () => problem(400, "installments_minimum", refused),
  });
  await fillIn(user);
  await user.click(choice());
  await user.click(payButton());
  expect(await screen.findByText("Montant insuffisant")).toBeTruthy();
  expect(screen.getByText(refused)).toBeTruthy();
  expect(goTo).not.toHaveBeenCalled();
});
