import { act, screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { addToCart, clearCart } from "@/lib/cart";
import { readCart } from "@/lib/cart-storage";
import { forgetMe } from "@/lib/me";
import { goTo, replaceBy } from "@/lib/navigate";
import { toast } from "@/lib/toast";
import { ATTEMPT_KEY, FORM_KEY } from "@/purchase/session";
import type { CheckoutProps, QuoteLine } from "@/purchase/types";
import { barriers } from "@/testing/accessibility";
import {
  type Asked,
  countries,
  json,
  kept,
  member,
  problem,
  quote,
  quoted,
  serve,
  visitor,
} from "@/testing/purchase";
import { renderIsland } from "@/testing/render";
import { Checkout } from "./checkout";

vi.mock("@/lib/toast");
// Whole forms are filled in here, on machines that may be busy.
vi.setConfig({ testTimeout: 20_000 });
vi.mock("@/lib/navigate");

const props: CheckoutProps = {
  countries,
  home_country: "FR",
  other_country: "ZZ",
  payment_modes: ["full"],
  pay_label: "Commande avec obligation de paiement",
  terms_version: "2026-11",
  password_min: 8,
  links: {
    cart: "/panier",
    terms: "/cgv",
    privacy: "/politique-confidentialite",
    forgot: "/auth?mode=forgot",
  },
};
const PAY_PAGE = "https://pay.example/c/1";
const placed = () => json({ order_id: "0b9e", reference: "A1B2C3D4", url: PAY_PAGE, total: "378.00" }, 201);

interface Shop {
  me?: () => Response;
  quote?: (asked: Asked) => Response | Promise<Response>;
  checkout?: (asked: Asked) => Response | Promise<Response>;
}

async function open({ me = visitor, quote: priced = () => json(quote()), checkout = placed }: Shop = {}) {
  const calls = serve({ "/api/me": me, "/api/cart/quote": priced, "/api/checkout": checkout });
  const drawn = await renderIsland(<Checkout {...props} />);
  await screen.findAllByText("Total");
  return { ...drawn, calls, orders: () => calls.filter(({ path }) => path === "/api/checkout") };
}

const field = (name: string) => screen.getByLabelText(name, { selector: "input, select, textarea" });
const payButton = () => screen.getByRole("button", { name: /Commande avec|Traitement/ });
const termsBox = () => screen.getByRole("checkbox");

/** Pasted rather than typed: a key at a time, every test would take seconds. */
async function put(user: UserEvent, name: string, text: string) {
  await user.click(field(name));
  await user.paste(text);
}

async function fillIn(user: UserEvent, { tab = "Sans compte" } = {}) {
  await user.click(screen.getByText(tab, { selector: "[role=tab]" }));
  await put(user, "E-mail", "Ada@Example.com");
  if (tab !== "Sans compte") await put(user, "Mot de passe", "lutin-bleu-42");
  await fillInAddress(user);
}

async function fillInAddress(user: UserEvent) {
  await put(user, "Prénom", "Ada");
  await put(user, "Nom", "Lovelace");
  await put(user, "Adresse", "1 rue du Four");
  await put(user, "Code postal", "75006");
  await put(user, "Ville", " Paris ");
  await user.click(termsBox());
}

beforeEach(() => {
  forgetMe();
  clearCart();
  addToCart(kept(quoted()), 2);
  vi.mocked(goTo).mockReset();
  vi.mocked(replaceBy).mockReset();
  vi.mocked(toast).mockReset();
  // biome-ignore lint/suspicious/noDocumentCookie: the hint is a plain cookie
  document.cookie = "member=; Max-Age=0";
});

it("goes back to the cart when there is nothing to order", async () => {
  clearCart();
  sessionStorage.setItem(ATTEMPT_KEY, '{"key":"k","mark":"m"}');
  serve({ "/api/me": visitor });
  await renderIsland(<Checkout {...props} />);

  expect(replaceBy).toHaveBeenCalledExactlyOnceWith("/panier");
  expect(sessionStorage.getItem(ATTEMPT_KEY)).toBeNull();
});

it("sends a guest's order and leaves for the payment page with the cart as it is", async () => {
  const { user, orders } = await open();
  await fillIn(user);
  await user.click(payButton());

  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  expect(orders()).toHaveLength(1);
  expect(orders()[0]?.body).toEqual({
    lines: [{ product_id: 12, variation_id: 3, finish: "painted", quantity: 2 }],
    customer: {
      email: "ada@example.com",
      firstName: "Ada",
      lastName: "Lovelace",
      address: "1 rue du Four",
      postalCode: "75006",
      city: "Paris",
      country: "FR",
      customCountry: "",
      phone: "",
      notes: "",
    },
    payment_mode: "full",
    expected_total: "378.00",
    accept_terms: true,
  });
  expect(orders()[0]?.headers["Idempotency-Key"]).toMatch(/^[0-9a-f]{32}$/);
  expect(orders()[0]?.headers["X-CSRFToken"]).toBe("t");
  expect(readCart()).toEqual([kept(quoted())]);
  expect(payButton().textContent).toBe("Traitement en cours...");
  expect(payButton().getAttribute("aria-disabled")).toBe("true");
});

it("starts with signing up and sends the account that was chosen", async () => {
  const { user, orders } = await open();
  expect(
    screen.getAllByRole("tab").map((tab) => [tab.textContent, tab.getAttribute("aria-selected")]),
  ).toEqual([
    ["Créer un compte", "true"],
    ["Se connecter", "false"],
    ["Sans compte", "false"],
  ]);
  expect(field("Mot de passe").getAttribute("autocomplete")).toBe("new-password");
  await fillIn(user, { tab: "Créer un compte" });
  await user.click(payButton());

  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.account).toEqual({ mode: "signup", password: "lutin-bleu-42" });
});

it("moves between the tabs with the arrow keys", async () => {
  const { user } = await open();
  await user.click(screen.getByRole("tab", { name: "Créer un compte" }));
  await user.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(screen.getByRole("tab", { name: "Se connecter" }));
  expect(field("Mot de passe").getAttribute("autocomplete")).toBe("current-password");
  expect(screen.getByRole("link", { name: /Mot de passe oublié/ }).getAttribute("href")).toBe(
    "/auth?mode=forgot",
  );
  await user.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(document.activeElement).toBe(screen.getByRole("tab", { name: "Sans compte" }));
  expect(screen.queryByLabelText("Mot de passe")).toBeNull();
});

it("shows and hides the password", async () => {
  const { user } = await open();
  await user.click(screen.getByRole("button", { name: "Afficher le mot de passe" }));
  expect(field("Mot de passe").getAttribute("type")).toBe("text");
  await user.click(screen.getByRole("button", { name: "Afficher le mot de passe", pressed: true }));
  expect(field("Mot de passe").getAttribute("type")).toBe("password");
});

it("asks a member for no account and uses the account's address", async () => {
  const { user, orders } = await open({ me: member });
  expect(await screen.findByText("Connecté avec client@example.com")).toBeTruthy();
  expect(screen.queryByRole("tab")).toBeNull();
  await fillInAddress(user);
  await user.click(payButton());

  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.customer.email).toBe("client@example.com");
  expect(orders()[0]?.body).not.toHaveProperty("account");
});

it("asks for the name of a country that is not on the list, and for its delivery", async () => {
  const { user, calls, orders } = await open();
  await fillIn(user);
  await user.selectOptions(field("Pays"), "Autre");
  expect(screen.getAllByText("Droits et taxes d'importation à votre charge.")).toHaveLength(1);
  await waitFor(() =>
    expect(calls.filter(({ path }) => path === "/api/cart/quote").at(-1)?.body.country).toBe("ZZ"),
  );
  await waitFor(() => expect(payButton().getAttribute("aria-disabled")).toBe("false"));

  await user.click(payButton());
  expect(await screen.findByRole("link", { name: "Indiquez votre pays." })).toBeTruthy();
  expect(orders()).toEqual([]);
  await user.type(field("Votre pays"), "Japon");
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.customer).toMatchObject({ country: "ZZ", customCountry: "Japon" });
});

it("does not send the name of another country once one of the list is chosen", async () => {
  const { user, orders } = await open();
  await fillIn(user);
  await user.selectOptions(field("Pays"), "Autre");
  await user.type(field("Votre pays"), "Japon");
  await user.selectOptions(field("Pays"), "Suisse");
  await waitFor(() => expect(payButton().getAttribute("aria-disabled")).toBe("false"));
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.customer).toMatchObject({ country: "CH", customCountry: "" });
});

it("lists what is missing, in the page's order, and leads to each field", async () => {
  const { user, orders, container } = await open();
  await user.click(payButton());

  const summary = await screen.findByRole("alert");
  expect(document.activeElement).toBe(summary);
  expect(within(summary).getByRole("heading").textContent).toBe("Il y a 8 erreurs dans le formulaire");
  expect(
    within(summary)
      .getAllByRole("link")
      .map((link) => link.textContent),
  ).toEqual([
    "Saisissez votre adresse e-mail.",
    "Saisissez un mot de passe.",
    "Saisissez votre prénom.",
    "Saisissez votre nom.",
    "Saisissez votre adresse.",
    "Saisissez votre code postal.",
    "Saisissez votre ville.",
    "Acceptez les conditions générales de vente pour commander.",
  ]);
  expect(field("Prénom").getAttribute("aria-invalid")).toBe("true");
  expect(field("Prénom").getAttribute("aria-describedby")).toBe("checkout-firstName-error");
  await user.click(within(summary).getByRole("link", { name: "Saisissez votre ville." }));
  expect(document.activeElement).toBe(field("Ville"));
  expect(orders()).toEqual([]);
  expect(await barriers(container)).toEqual([]);

  await user.type(field("Ville"), "P");
  expect(within(summary).getByRole("heading").textContent).toBe("Il y a 7 erreurs dans le formulaire");
  expect(field("Ville").getAttribute("aria-invalid")).toBeNull();
});

it("looks at a field when it is left, not while it is being typed, and not before", async () => {
  const { user } = await open();
  await user.click(field("E-mail"));
  await user.tab();
  expect(screen.queryByText(/Saisissez/)).toBeNull();

  await user.type(field("E-mail"), "ada@");
  expect(screen.queryByText(/Saisissez/)).toBeNull();
  await user.tab();
  expect(screen.getByText(/Saisissez une adresse e-mail valide/)).toBeTruthy();
  await user.type(field("E-mail"), "example.com");
  expect(screen.queryByText(/Saisissez/)).toBeNull();

  await user.type(field("Mot de passe"), "court");
  await user.tab();
  expect(screen.getByText("Le mot de passe doit contenir au moins 8 caractères.")).toBeTruthy();
});

it("puts the server's messages on the fields they are about", async () => {
  const { user } = await open({
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
  ["invalid_credentials", {}, "Se connecter", "Erreur de connexion", "Email ou mot de passe incorrect"],
  ["email_unconfirmed", {}, "Se connecter", "Erreur de connexion", "Email ou mot de passe incorrect"],
])("explains %s beside the password", async (code, more, tab, title, message) => {
  const { user } = await open({
    checkout: () => problem(400, code, "Email ou mot de passe incorrect", more),
  });
  await fillIn(user, { tab });
  await user.click(payButton());

  const summary = await screen.findByRole("alert");
  expect(within(summary).getByRole("heading").textContent).toBe(title);
  await user.click(within(summary).getByRole("link", { name: message }));
  expect(document.activeElement).toBe(field("Mot de passe"));
});

it("sends the same key again after a lost answer, for one order however often it is clicked", async () => {
  let answer: () => Response | Promise<Response> = () => Promise.reject(new TypeError("Failed to fetch"));
  const { user, orders } = await open({ checkout: () => answer() });
  await fillIn(user);
  await user.dblClick(payButton());
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
  const first = await open({ checkout: refuse });
  await fillIn(first.user);
  await first.user.click(payButton());
  expect((await screen.findByRole("alert")).textContent).toBe("ErreurLe service de paiement ne répond pas.");
  first.unmount();

  const second = await open({ checkout: refuse });
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
    const { user, orders, unmount } = await open({ checkout: () => answer() });
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
  const { user } = await open({ checkout: () => problem(503, "payment_unavailable", "…") });
  await fillIn(user, { tab: "Créer un compte" });
  await user.click(payButton());
  await screen.findByRole("alert");

  expect(Object.keys(sessionStorage).sort()).toEqual([ATTEMPT_KEY, FORM_KEY]);
  expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain("lutin-bleu-42");
});

it("gives up after fifteen seconds without an answer and can go on with the same key", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { user, orders } = await open({ checkout: () => new Promise<Response>(() => {}) });
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

it("shows what changed and orders the accepted total", async () => {
  const dearer = quote([quoted({ unit_price: "199.00", line_total: "398.00" })], {
    shipping_cost: "9.99",
    total: "407.99",
  });
  const { user, orders } = await open({
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

const soldOut: Partial<QuoteLine> = {
  available: false,
  line_total: "0.00",
  problem: "out_of_stock",
  problem_detail: "Rupture de stock",
};

it.each(["out_of_stock", "line_unavailable"])("offers only the cart after %s", async (code) => {
  const { user } = await open({
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
  const { user } = await open({
    checkout: () => problem(409, "total_changed", "…", { quote: quote([quoted()], { total: "400.00" }) }),
  });
  await fillIn(user);
  await user.click(payButton());
  await screen.findByRole("alert");
  await user.selectOptions(field("Pays"), "Suisse");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("survives a changed total whose quote is damaged", async () => {
  const { user } = await open({
    checkout: () => problem(409, "total_changed", "Le total a changé.", { quote: { lines: "?" } }),
  });
  await fillIn(user);
  await user.click(payButton());
  expect((await screen.findByRole("alert")).textContent).toBe("ErreurLe total a changé.");
});

it("leads to the order that was paid in the meantime", async () => {
  const { user } = await open({
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
  const { user } = await open({ checkout: () => problem(status, code, detail) });
  await fillIn(user);
  await user.click(payButton());

  expect((await screen.findByRole("alert")).textContent).toBe(`Erreur${detail}`);
  expect(field("Ville")).toHaveProperty("value", " Paris ");
  expect(readCart()).toEqual([kept(quoted())]);
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
  const { user } = await open({ checkout });
  await fillIn(user);
  await user.click(payButton());
  expect((await screen.findByRole("alert")).textContent).toBe(`Erreur${message}`);
  expect(goTo).not.toHaveBeenCalled();
});

it("notices the account that was made although the payment page could not be opened", async () => {
  let me = visitor;
  const { user, orders } = await open({
    me: () => me(),
    checkout: () => {
      me = member;
      return problem(503, "payment_unavailable", "Le service de paiement ne répond pas.");
    },
  });
  await fillIn(user, { tab: "Créer un compte" });
  await user.clear(field("E-mail"));
  await user.type(field("E-mail"), "client@example.com");
  await user.click(payButton());
  expect(await screen.findByText("Connecté avec client@example.com")).toBeTruthy();
  expect(toast).toHaveBeenCalledExactlyOnceWith({ kind: "success", title: "Compte créé avec succès" });

  await user.click(payButton());
  await waitFor(() => expect(orders()).toHaveLength(2));
  const keys = orders().map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys[1]).toBe(keys[0]);
  expect(orders()[1]?.body).not.toHaveProperty("account");
});

it("does not offer to pay for what can't be bought", async () => {
  const { user, orders } = await open({ quote: () => json(quote([quoted(soldOut)])) });
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

it("shows everything that is ordered right above the button", async () => {
  const free = quoted({ quantity: 3, free_quantity: 1, promotion_label: "2 ACHETÉS 1 OFFERT" });
  await open({ quote: () => json(quote([free], { promotion_savings: "189.00", original_total: "567.00" })) });

  const recap = screen.getByRole("region", { name: "Votre commande" });
  expect(
    within(recap)
      .getAllByRole("listitem")
      .map((line) => line.textContent?.replace(/\s/g, " ")),
  ).toEqual(["2 × GardienPeint15 cm2 ACHETÉS 1 OFFERT378,00 €", "1 × GardienOFFERT"]);
  expect(within(recap).getByText("Livraison entre le 8 décembre 2026 et le 24 décembre 2026")).toBeTruthy();
  expect(recap.compareDocumentPosition(termsBox()) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(termsBox().compareDocumentPosition(payButton()) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  const links = within(termsBox().closest("label") as HTMLElement).getAllByRole("link");
  expect(links.map((link) => [link.getAttribute("href"), link.getAttribute("target")])).toEqual([
    ["/cgv", "_blank"],
    ["/politique-confidentialite", "_blank"],
  ]);
});

it("keeps phone and note folded until they are wanted, and sends them", async () => {
  const { user, orders } = await open();
  const folded = field("Téléphone (facultatif)").closest("details") as HTMLDetailsElement;
  expect(folded.open).toBe(false);
  await user.click(screen.getByText("Ajouter un téléphone ou une note"));
  await user.type(field("Téléphone (facultatif)"), "06");
  await user.type(field("Note pour l'atelier (facultatif)"), "Merci");
  await fillIn(user);
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.customer).toMatchObject({ phone: "06", notes: "Merci" });
});

it("can be used again when the browser brings the page back as it was left", async () => {
  const { user } = await open();
  await fillIn(user);
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(payButton().getAttribute("aria-busy")).toBe("true");

  act(() => {
    dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  });
  expect(payButton().getAttribute("aria-busy")).toBe("false");
});

it.each(["{", '"x"', '{"texts":{"email":5,"password":"p","city":"Nice"},"access":"root"}'])(
  "starts from a damaged memory (%s)",
  async (raw) => {
    sessionStorage.setItem(FORM_KEY, raw);
    await open();
    expect(field("E-mail")).toHaveProperty("value", "");
    expect(field("Mot de passe")).toHaveProperty("value", "");
    expect(screen.getByRole("tab", { selected: true }).textContent).toBe("Créer un compte");
  },
);

it.each(["en", "es", "de"] as const)("speaks %s, without barriers", async (language) => {
  serve({ "/api/me": visitor, "/api/cart/quote": () => json(quote()) });
  const { container } = await renderIsland(<Checkout {...props} />, { language });
  await screen.findAllByText(/378/);
  expect(await barriers(container)).toEqual([]);
});
