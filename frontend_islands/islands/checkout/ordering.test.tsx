import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { readCopy } from "@/lib/cart-copy";
import { readCart } from "@/lib/cart-storage";
import { goTo } from "@/lib/navigate";
import { ATTEMPT_KEY, FORM_KEY, readOrdered } from "@/purchase/tab-memory";
import {
  field,
  fillIn,
  fillInAddress,
  openCheckout,
  PAY_PAGE,
  payButton,
  placed,
  props,
  soldOut,
  startShopping,
  termsBox,
} from "@/testing/checkout";
import {
  type Asked,
  cartLine,
  json,
  member,
  problem,
  quote,
  quoted,
  serve,
  visitor,
} from "@/testing/purchase";
import { renderIsland } from "@/testing/render";
import { Checkout } from "./index";

vi.mock("@/lib/toast");
vi.mock("@/lib/navigate");

beforeEach(startShopping);

it("notes what was ordered, and that the account's saved cart has it", async () => {
  const owner = "a".repeat(16);
  const ordered = readCart();
  const { user } = await openCheckout({
    checkout: () => {
      // The answer signs in.
      vi.spyOn(document, "cookie", "get").mockReturnValue("member=1");
      const order = { order_id: "0b9e", reference: "A1B2C3D4", url: PAY_PAGE, total: "378.00" };
      return json({ ...order, cart_owner: owner }, 201);
    },
  });
  await fillIn(user, { tab: "Se connecter" });
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));

  expect(readOrdered("A1B2C3D4")).toEqual(ordered);
  expect(readOrdered("ANOTHER1")).toBeNull();
  expect(readCopy()).toMatchObject({ owner, version: 0, lines: ordered, isNew: true });
  expect(readCart()).toEqual(ordered);
});

it("notes no saved cart for a guest's order", async () => {
  const { user } = await openCheckout();
  await fillIn(user, { tab: "Sans compte" });
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  expect(readOrdered("A1B2C3D4")).toEqual(readCart());
  expect(readCopy()).toBeNull();
});

it("puts the server's messages on the fields they are about", async () => {
  const { user } = await openCheckout({
    checkout: () =>
      problem(400, "invalid", "Certains champs sont à corriger.", {
        errors: {
          "customer.postalCode": ["Ce code postal n'existe pas."],
          "account.password": ["Trop simple."],
          accept_terms: ["Acceptez les conditions."],
          "lines.0.quantity": ["Trop grand."],
        },
      }),
  });
  await fillIn(user, { tab: "Créer un compte" });
  await user.click(payButton());

  const summary = await screen.findByRole("alert");
  expect(document.activeElement).toBe(summary);
  expect(
    within(summary)
      .getAllByRole("listitem")
      .map((item) => item.textContent),
  ).toEqual(["Trop simple.", "Ce code postal n'existe pas.", "Acceptez les conditions.", "Trop grand."]);
  expect(document.getElementById("checkout-postalCode-error")?.textContent).toBe(
    "Ce code postal n'existe pas.",
  );
  expect(payButton().getAttribute("aria-disabled")).toBe("false");
  expect(field("Prénom")).toHaveProperty("value", "Ada");
});

it.each([
  [
    "weak_password",
    { errors: { password: ["Ce mot de passe est trop courant."] } },
    "Créer un compte",
    "Erreur lors de la création du compte",
    "Ce mot de passe est trop courant.",
  ],
  ["invalid_credentials", {}, "Se connecter", "Erreur de connexion", "E-mail ou mot de passe incorrect"],
  ["email_unconfirmed", {}, "Se connecter", "Erreur de connexion", "E-mail ou mot de passe incorrect"],
])("explains %s beside the password", async (code, more, tab, title, message) => {
  const { user } = await openCheckout({
    checkout: () => problem(400, code, "E-mail ou mot de passe incorrect", more),
  });
  await fillIn(user, { tab });
  await user.click(payButton());

  const summary = await screen.findByRole("alert");
  expect(within(summary).getByRole("heading").textContent).toBe(title);
  await user.click(within(summary).getByRole("link", { name: message }));
  expect(document.activeElement).toBe(field("Mot de passe"));
});

it("sends the same key again after a lost answer, for one order however often it is clicked", async () => {
  let lose: (reason: Error) => void = () => {};
  let answer: () => Response | Promise<Response> = () =>
    new Promise((_resolve, reject) => {
      lose = reject;
    });
  const { user, orders } = await openCheckout({ checkout: () => answer() });
  await fillIn(user);
  await user.dblClick(payButton());
  await waitFor(() => expect(orders()).toHaveLength(1));
  await user.click(payButton());
  act(() => lose(new TypeError("Failed to fetch")));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toBe("ErreurLa boutique ne répond pas. Vérifiez votre connexion puis réessayez.");
  expect(document.activeElement).toBe(alert);
  expect(orders()).toHaveLength(1);

  answer = placed;
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  const keys = orders().map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

it("keeps the key over a reload and takes a new one for another demand", async () => {
  const refuse = () => problem(503, "payment_unavailable", "Le service de paiement ne répond pas.");
  const first = await openCheckout({ checkout: refuse });
  await fillIn(first.user);
  await first.user.click(payButton());
  expect((await screen.findByRole("alert")).textContent).toBe("ErreurLe service de paiement ne répond pas.");
  first.unmount();

  const second = await openCheckout({ checkout: refuse });
  expect(field("E-mail")).toHaveProperty("value", "Ada@Example.com");
  expect(termsBox()).toHaveProperty("checked", false);
  await second.user.click(termsBox());
  await second.user.click(payButton());
  await waitFor(() => expect(second.orders()).toHaveLength(1));
  await screen.findByRole("alert");
  await second.user.type(field("Ville"), "!");
  await second.user.click(payButton());
  await waitFor(() => expect(second.orders()).toHaveLength(2));

  const key = ({ headers }: Asked) => headers["Idempotency-Key"];
  const [before] = first.orders().map(key);
  const [reloaded, changed] = second.orders().map(key);
  expect(reloaded).toBe(before);
  expect(changed).not.toBe(before);
});

it("takes a new key for an order that can't be paid any more", async () => {
  for (const [status, code] of [
    [409, "order_closed"],
    [422, "idempotency_key_reused"],
  ] as const) {
    let answer = () => problem(status, code, "…");
    const { user, orders, unmount } = await openCheckout({ checkout: () => answer() });
    if (!(field("Prénom") as HTMLInputElement).value) await fillIn(user);
    else await user.click(termsBox());
    await user.click(payButton());
    expect((await screen.findByRole("alert")).textContent).toContain("cliquez à nouveau pour payer");
    answer = placed;
    await user.click(payButton());
    await waitFor(() => expect(goTo).toHaveBeenCalledWith(PAY_PAGE));
    const [spent, fresh] = orders().map(({ headers }) => headers["Idempotency-Key"]);
    expect(fresh).not.toBe(spent);
    unmount();
  }
});

it("keeps no password", async () => {
  const { user } = await openCheckout({ checkout: () => problem(503, "payment_unavailable", "…") });
  await fillIn(user, { tab: "Créer un compte" });
  await user.click(payButton());
  await screen.findByRole("alert");

  expect(Object.keys(sessionStorage).sort()).toEqual([ATTEMPT_KEY, FORM_KEY]);
  expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain("lutin-bleu-42");
});

it("gives up after fifteen seconds without an answer and can go on with the same key", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { user, orders } = await openCheckout({ checkout: () => new Promise<Response>(() => {}) });
  await fillIn(user);
  await user.click(payButton());
  expect(payButton().textContent).toBe("Traitement en cours...");
  await act(() => vi.advanceTimersByTimeAsync(15_000));

  expect(screen.getByRole("alert").textContent).toContain("La boutique ne répond pas.");
  expect(payButton().getAttribute("aria-disabled")).toBe("false");
  await user.click(payButton());
  const keys = orders().map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

it("leads to the order that was paid in the meantime", async () => {
  const { user } = await openCheckout({
    checkout: () =>
      problem(409, "already_paid", "Votre commande précédente vient d'être payée.", {
        order_id: "0b9e",
        order_url: "/commande/0b9e",
      }),
  });
  await fillIn(user);
  await user.click(payButton());

  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Votre commande précédente vient d'être payée.");
  expect(within(alert).getByRole("link").getAttribute("href")).toBe("/commande/0b9e");
  expect(readCart()).toHaveLength(1);
});

it.each([
  [429, "throttled", "Trop de demandes."],
  [503, "payments_disabled", "Le paiement en ligne est fermé pour le moment."],
  [400, "total_too_small", "Le montant minimum d'une commande est de 0,50 €."],
  [500, "server_error", "Une erreur est survenue de notre côté."],
])("passes on what the server says (%i %s) and loses nothing", async (status, code, detail) => {
  const { user } = await openCheckout({ checkout: () => problem(status, code, detail) });
  await fillIn(user);
  await user.click(payButton());

  expect((await screen.findByRole("alert")).textContent).toBe(`Erreur${detail}`);
  expect(field("Ville")).toHaveProperty("value", " Paris ");
  expect(readCart()).toEqual([cartLine(quoted())]);
  expect(goTo).not.toHaveBeenCalled();
});

it.each([
  ["without an address", () => json({ order_id: "0b9e" }, 201), "URL de paiement non reçue"],
  [
    "that is no JSON",
    () => new Response("<h1>502</h1>", { status: 502 }),
    "Une erreur est survenue lors du traitement de votre commande.",
  ],
])("does not follow an answer %s", async (_what, checkout, message) => {
  const { user } = await openCheckout({ checkout });
  await fillIn(user);
  await user.click(payButton());
  expect((await screen.findByRole("alert")).textContent).toBe(`Erreur${message}`);
  expect(goTo).not.toHaveBeenCalled();
});

it("notices who was signed in although the payment page could not be opened", async () => {
  let me = visitor;
  const { user, orders } = await openCheckout({
    me: () => me(),
    checkout: () => {
      me = member;
      return problem(503, "payment_unavailable", "Le service de paiement ne répond pas.");
    },
  });
  await fillIn(user, { tab: "Se connecter" });
  await user.clear(field("E-mail"));
  await user.type(field("E-mail"), "client@example.com");
  await user.click(payButton());
  expect(await screen.findByText("Connecté avec client@example.com")).toBeTruthy();

  await user.click(payButton());
  await waitFor(() => expect(orders()).toHaveLength(2));
  const keys = orders().map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys[1]).toBe(keys[0]);
  expect(orders()[1]?.body).not.toHaveProperty("account");
});

it("asks a member again whose session ended while the form was open", async () => {
  let me = member;
  const { user, orders } = await openCheckout({ me: () => me() });
  expect(await screen.findByText("Connecté avec client@example.com")).toBeTruthy();
  await fillInAddress(user);
  me = visitor;
  await user.click(payButton());

  const notice = await screen.findByText(/Votre session a pris fin/);
  expect(notice.closest("[tabindex]")).toBe(document.activeElement);
  expect(orders()).toHaveLength(0);
  expect(screen.getByRole("tab", { name: "Se connecter" }).getAttribute("aria-selected")).toBe("true");
  expect(field("E-mail")).toHaveProperty("value", "client@example.com");
  expect(field("Prénom")).toHaveProperty("value", "Ada");
});

it("stays a visitor's who signed up although the payment page could not be opened", async () => {
  const { user, calls, orders } = await openCheckout({
    checkout: () => problem(503, "payment_unavailable", "Le service de paiement ne répond pas."),
  });
  await fillIn(user, { tab: "Créer un compte" });
  const asked = calls.filter(({ path }) => path === "/api/me").length;
  await user.click(payButton());
  await screen.findByRole("alert");

  expect(calls.filter(({ path }) => path === "/api/me")).toHaveLength(asked);
  expect(screen.getByRole("tab", { name: "Créer un compte", selected: true })).toBeTruthy();
  await user.click(payButton());
  await waitFor(() => expect(orders()).toHaveLength(2));
  const keys = orders().map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys[1]).toBe(keys[0]);
});

it("does not offer to pay for what can't be bought", async () => {
  const { user, orders } = await openCheckout({ quote: () => json(quote([quoted(soldOut)])) });
  await fillIn(user);
  expect(payButton().getAttribute("aria-disabled")).toBe("true");
  expect(document.getElementById("checkout-obstacle")?.textContent).toBe(
    "Certaines pièces ne peuvent plus être commandées. Retour au panier",
  );
  await user.click(payButton());
  expect(orders()).toEqual([]);
});

it("does not offer to pay while the total is unknown", async () => {
  let isFailing = true;
  serve({
    "/api/me": visitor,
    "/api/cart/quote": () => (isFailing ? problem(500, "server_error", "Panne.") : json(quote())),
  });
  const { user } = await renderIsland(<Checkout {...props} />);
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Panne.");
  expect(payButton().getAttribute("aria-disabled")).toBe("true");

  isFailing = false;
  await user.click(within(alert).getByRole("button", { name: "Réessayer" }));
  await waitFor(() => expect(payButton().getAttribute("aria-disabled")).toBe("false"));
});

it("can be used again when the browser brings the page back as it was left", async () => {
  const { user } = await openCheckout();
  await fillIn(user);
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(payButton().getAttribute("aria-busy")).toBe("true");

  act(() => {
    dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  });
  expect(payButton().getAttribute("aria-busy")).toBe("false");
});

it("can be used again, for the same order, where the payment page was stopped from loading", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { user, orders } = await openCheckout();
  await fillIn(user);
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledOnce());
  expect(payButton().getAttribute("aria-busy")).toBe("true");

  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(payButton().getAttribute("aria-busy")).toBe("false");
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledTimes(2));
  const keys = orders().map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys[1]).toBe(keys[0]);
});
