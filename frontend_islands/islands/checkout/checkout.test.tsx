import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { clearCart } from "@/lib/cart";
import { readCart } from "@/lib/cart-storage";
import { goTo, replaceBy } from "@/lib/navigate";
import { ATTEMPT_KEY, FORM_KEY } from "@/purchase/tab-memory";
import { barriers } from "@/testing/accessibility";
import {
  field,
  fillIn,
  fillInAddress,
  openCheckout,
  PAY_PAGE,
  payButton,
  props,
  startShopping,
  termsBox,
} from "@/testing/checkout";
import { cartLine, json, member, problem, quote, quoted, serve, visitor } from "@/testing/purchase";
import { renderIsland } from "@/testing/render";
import { Checkout } from "./index";

vi.mock("@/lib/toast");
vi.mock("@/lib/navigate");

beforeEach(startShopping);

it("goes back to the cart when there is nothing to order", async () => {
  clearCart();
  sessionStorage.setItem(ATTEMPT_KEY, '{"key":"k","mark":"m"}');
  serve({ "/api/me": visitor });
  await renderIsland(<Checkout {...props} />);

  expect(replaceBy).toHaveBeenCalledExactlyOnceWith("/panier");
  expect(sessionStorage.getItem(ATTEMPT_KEY)).toBeNull();
});

it("sends a guest's order and leaves for the payment page with the cart as it is", async () => {
  const { user, orders } = await openCheckout();
  await fillIn(user);
  await user.click(payButton());

  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  expect(orders()).toHaveLength(1);
  expect(orders()[0]?.body).toEqual({
    lines: [{ product_id: 12, variation_id: 3, finish: "painted", quantity: 2 }],
    customer: {
      // As it was typed: the server has the rule.
      email: "Ada@Example.com",
      firstName: "Ada",
      lastName: "Lovelace",
      address: "1 rue du Four",
      postalCode: "75006",
      city: " Paris ",
      country: "FR",
      customCountry: "",
      phone: "",
      notes: "",
    },
    payment_mode: "full",
    expected_total: "378.00",
    expected_date: "2026-12-24",
    accept_terms: true,
    terms_version: "2026-11-01.1",
  });
  expect(orders()[0]?.headers["Idempotency-Key"]).toMatch(/^[0-9a-f]{32}$/);
  expect(orders()[0]?.headers["X-CSRFToken"]).toBe("t");
  expect(readCart()).toEqual([cartLine(quoted())]);
  expect(payButton().textContent).toBe("Traitement en cours...");
  expect(payButton().getAttribute("aria-disabled")).toBe("true");
});

it("starts with signing up and sends the account that was chosen", async () => {
  const { user, orders } = await openCheckout();
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
  const { user } = await openCheckout();
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
  const { user } = await openCheckout();
  await user.click(screen.getByRole("button", { name: "Afficher le mot de passe" }));
  expect(field("Mot de passe").getAttribute("type")).toBe("text");
  await user.click(screen.getByRole("button", { name: "Afficher le mot de passe", pressed: true }));
  expect(field("Mot de passe").getAttribute("type")).toBe("password");
});

it("asks a member for no account and uses the account's address", async () => {
  const { user, orders } = await openCheckout({ me: member });
  expect(await screen.findByText("Connecté avec client@example.com")).toBeTruthy();
  expect(screen.queryByRole("tab")).toBeNull();
  await fillInAddress(user);
  await user.click(payButton());

  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.customer.email).toBe("client@example.com");
  expect(orders()[0]?.body).not.toHaveProperty("account");
});

it("asks for the name of a country that is not on the list, and for its delivery", async () => {
  const { user, calls, orders } = await openCheckout({
    quote: ({ body }) => json(quote(undefined, { customs_notice: body.country === "ZZ" })),
  });
  await fillIn(user);
  await user.selectOptions(field("Pays"), "Autre");
  expect(await screen.findByText("Droits et taxes d'importation à votre charge.")).toBeTruthy();
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

it("prices the typed postcode and says what is doubtful about it once it is left", async () => {
  const { user, calls } = await openCheckout({
    quote: ({ body }) =>
      json(quote(undefined, { postal_code_notice: body.postal_code ? "À vérifier." : "" })),
  });
  await user.click(field("Code postal"));
  await user.paste("97400");
  await waitFor(() => expect(calls.at(-1)?.body).toMatchObject({ country: "FR", postal_code: "97400" }));
  expect(screen.queryByText("À vérifier.")).toBeNull();
  await user.tab();
  expect(await screen.findByText("À vérifier.")).toBeTruthy();
});

it("says that no order takes a typed postcode once it is left, and takes that back", async () => {
  const wrong = "Ce code postal n'existe pas dans ce pays.";
  const { user } = await openCheckout({
    quote: ({ body }) =>
      json(quote(undefined, { postal_code_error: body.postal_code === "7500" ? wrong : "" })),
  });
  await user.type(field("Code postal"), "7500");
  await user.tab();
  expect(await screen.findByText(wrong)).toBeTruthy();
  expect(field("Code postal").getAttribute("aria-invalid")).toBe("true");
  expect(field("Code postal").getAttribute("aria-describedby")).toBe("checkout-postalCode-error");
  await user.type(field("Code postal"), "1");
  await user.tab();
  await waitFor(() => expect(screen.queryByText(wrong)).toBeNull());
  expect(field("Code postal").getAttribute("aria-invalid")).toBeNull();
});

it("counts a postcode that no order takes among what is wrong, until it is mended", async () => {
  const wrong = "Ce code postal n'existe pas dans ce pays.";
  const { user, orders } = await openCheckout({
    quote: ({ body }) =>
      json(quote(undefined, { postal_code_error: body.postal_code === "7500" ? wrong : "" })),
  });
  await fillIn(user);
  await user.clear(field("Code postal"));
  await user.type(field("Code postal"), "7500");
  await user.clear(field("Ville"));
  expect(await screen.findByText(wrong)).toBeTruthy();
  await user.click(payButton());

  const links = within(await screen.findByRole("alert")).getAllByRole("link");
  expect(links.map((link) => link.textContent)).toEqual([wrong, "Saisissez votre ville."]);
  expect(orders()).toEqual([]);

  await user.type(field("Code postal"), "1");
  await user.type(field("Ville"), "Paris");
  expect(screen.queryByText(wrong)).toBeNull();
  await waitFor(() => expect(payButton().getAttribute("aria-disabled")).toBe("false"));
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.customer).toMatchObject({ postalCode: "75001", city: "Paris" });
});

it("does not send the name of another country once one of the list is chosen", async () => {
  const { user, orders } = await openCheckout();
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
  const { user, orders, container } = await openCheckout();
  await user.click(payButton());

  const summary = await screen.findByRole("alert");
  expect(document.activeElement).toBe(summary);
  // An alert is read as a whole after each change, unless it says otherwise.
  expect(summary.getAttribute("aria-atomic")).toBe("false");
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
  const { user } = await openCheckout();
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
  expect(screen.getByText("Mot de passe trop court. Minimum 8 caractères")).toBeTruthy();
});

it("shows everything that is ordered right above the button", async () => {
  const free = quoted({ quantity: 3, free_quantity: 1, promotion_label: "2 ACHETÉS 1 OFFERT" });
  await openCheckout({
    quote: () => json(quote([free], { promotion_savings: "189.00", original_total: "567.00" })),
  });

  const recap = screen.getByRole("region", { name: "Votre commande" });
  expect(
    within(recap)
      .getAllByRole("listitem")
      .map((line) => line.textContent?.replace(/\s/g, " ")),
  ).toEqual(["2 × GardienPeint15 cm2 ACHETÉS 1 OFFERT378,00 €", "1 × GardienPeint15 cmOFFERT"]);
  expect(within(recap).getByText("Livraison entre le 8 et le 24 décembre 2026")).toBeTruthy();
  expect(recap.compareDocumentPosition(termsBox()) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(termsBox().compareDocumentPosition(payButton()) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  const links = within(termsBox().closest("label") as HTMLElement).getAllByRole("link");
  expect(links.map((link) => [link.getAttribute("href"), link.getAttribute("target")])).toEqual([
    ["/cgv", "_blank"],
    ["/politique-confidentialite", "_blank"],
  ]);
});

it("keeps phone and note folded until they are wanted, and sends them", async () => {
  const { user, orders } = await openCheckout();
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

it.each(["{", '"x"', '{"texts":{"email":5,"password":"p","city":"Nice"},"access":"root"}'])(
  "starts from a damaged memory (%s)",
  async (raw) => {
    sessionStorage.setItem(FORM_KEY, raw);
    await openCheckout();
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

it("leads who has a second factor to the sign-in page and back", async () => {
  const refuse = () =>
    problem(403, "second_factor_required", "Votre compte demande une seconde étape.", {
      signin_url: "/auth?next=%2Fcheckout",
    });
  const { user } = await openCheckout({ checkout: refuse });
  await fillIn(user);
  await user.click(payButton());
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toBe("Erreur de connexionVotre compte demande une seconde étape.Se connecter");
  expect(within(alert).getByRole("link").getAttribute("href")).toBe("/auth?next=%2Fcheckout");
});
