import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { goTo } from "@/lib/navigate";
import { FORM_KEY } from "@/purchase/tab-memory";
import { barriers } from "@/testing/accessibility";
import { field, fillIn, openCheckout, PAY_PAGE, payButton, put, startShopping } from "@/testing/checkout";
import { json } from "@/testing/purchase";

vi.mock("@/lib/toast");
vi.mock("@/lib/navigate");

beforeEach(startShopping);

const gift = () => screen.getByRole("checkbox", { name: "C'est un cadeau" });
const other = () => screen.getByRole("checkbox", { name: "Adresse de facturation différente" });

it("bills the address of the delivery until another is asked for", async () => {
  await openCheckout();
  expect(other()).toHaveProperty("checked", false);
  expect(screen.queryByLabelText("Nom sur la facture")).toBeNull();
  expect(screen.getByText(/La facture porte l'adresse de livraison/)).toBeTruthy();
});

it("sends a gift with its message and the giver's own address", async () => {
  const { user, orders, container } = await openCheckout();
  await fillIn(user);
  await user.click(gift());
  expect(other()).toHaveProperty("checked", true);
  await put(user, "Nom du destinataire", "Zoé Petit");
  await put(user, "Message joint au colis (facultatif)", "Joyeux Noël !");
  expect(screen.getByText(/Caractères restants\s: 287/)).toBeTruthy();
  await put(user, "Nom sur la facture", "Ada Lovelace");
  await put(user, "Société (facultatif)", "Atelier Ada");
  await put(user, "Adresse de facturation", "9 quai Sud");
  await put(user, "Code postal de facturation", "1000");
  await put(user, "Ville de facturation", "Berne");
  await user.selectOptions(field("Pays de facturation"), "CH");

  const recap = screen.getByRole("region", { name: "Votre commande" });
  const parts = (...each: string[]) =>
    within(recap).getByText(each.map((part) => `\u2068${part}\u2069`).join(", "));
  expect(parts("Zoé Petit", "1 rue du Four", "75006 Paris", "France")).toBeTruthy();
  expect(parts("Atelier Ada", "Ada Lovelace", "9 quai Sud", "1000 Berne", "Suisse")).toBeTruthy();
  expect(within(recap).getByText("Joyeux Noël !")).toBeTruthy();
  expect(await barriers(container)).toEqual([]);

  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith(PAY_PAGE));
  expect(orders()[0]?.body.customer).toMatchObject({
    firstName: "Ada",
    country: "FR",
    gift: { recipient: "Zoé Petit", message: "Joyeux Noël !" },
    billing: {
      name: "Ada Lovelace",
      company: "Atelier Ada",
      companyNumber: "",
      address: "9 quai Sud",
      postalCode: "1000",
      city: "Berne",
      country: "CH",
      customCountry: "",
    },
  });
});

it("tells the country of the invoice that nobody named from that of the parcel", async () => {
  const { user } = await openCheckout();
  await fillIn(user);
  await user.selectOptions(field("Pays"), "Autre");
  await user.click(other());
  await put(user, "Nom sur la facture", "Ada Lovelace");
  await put(user, "Adresse de facturation", "9 quai Sud");
  await put(user, "Code postal de facturation", "1000");
  await put(user, "Ville de facturation", "Berne");
  await user.selectOptions(field("Pays de facturation"), "Autre");
  await waitFor(() => expect(payButton().getAttribute("aria-disabled")).toBe("false"));
  await user.click(payButton());
  const summary = await screen.findByRole("alert");
  const links = within(summary).getAllByRole("link");
  expect(links.map((link) => link.textContent)).toEqual([
    "Indiquez votre pays.",
    "Indiquez le pays de facturation.",
  ]);
});

it("names what a gift and an invoice lack, and forgives it when they are no longer wanted", async () => {
  const { user, orders } = await openCheckout();
  await fillIn(user);
  await user.clear(field("Ville"));
  await user.click(gift());
  // What is said of the names stands before them.
  expect(gift().compareDocumentPosition(field("Prénom"))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  await user.click(payButton());
  const summary = await screen.findByRole("alert");
  expect(
    within(summary)
      .getAllByRole("link")
      .map((link) => link.textContent),
  ).toEqual([
    "Saisissez le nom du destinataire.",
    "Saisissez votre ville.",
    "Saisissez le nom à inscrire sur la facture.",
    "Saisissez l'adresse de facturation.",
    "Saisissez le code postal de facturation.",
    "Saisissez la ville de facturation.",
  ]);
  await user.click(within(summary).getByRole("link", { name: "Saisissez la ville de facturation." }));
  expect(document.activeElement).toBe(field("Ville de facturation"));
  expect(orders()).toEqual([]);

  await put(user, "Ville", "Paris");
  await user.click(other());
  await user.click(gift());
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(gift());
  await user.click(gift());
  expect(other()).toHaveProperty("checked", false);
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalled());
  expect(orders()[0]?.body.customer).not.toHaveProperty("gift");
  expect(orders()[0]?.body.customer).not.toHaveProperty("billing");
});

it("puts what the server says of the billing address beside its field", async () => {
  const { user } = await openCheckout({
    checkout: () =>
      json(
        { code: "invalid", errors: { "customer.billing.postalCode": ["Ce code postal n'existe pas."] } },
        400,
      ),
  });
  await fillIn(user);
  await user.click(other());
  await put(user, "Nom sur la facture", "Ada");
  await put(user, "Adresse de facturation", "9 quai Sud");
  await put(user, "Code postal de facturation", "0");
  await put(user, "Ville de facturation", "Nice");
  await user.click(payButton());
  expect(await screen.findByRole("link", { name: "Ce code postal n'existe pas." })).toBeTruthy();
  expect(field("Code postal de facturation").getAttribute("aria-invalid")).toBe("true");
});

it("keeps the two addresses over a reload of the tab", async () => {
  sessionStorage.setItem(
    FORM_KEY,
    JSON.stringify({
      isGift: true,
      hasBilling: true,
      texts: { "gift.recipient": "Zoé", "billing.city": "Berne" },
    }),
  );
  await openCheckout();
  expect(field("Nom du destinataire")).toHaveProperty("value", "Zoé");
  expect(field("Ville de facturation")).toHaveProperty("value", "Berne");
});

it("says by the button how to withdraw and what is guaranteed, and how one can pay", async () => {
  await openCheckout();
  const rights = screen.getByRole("region", { name: "Vos droits" });
  expect(
    within(rights)
      .getAllByRole("link")
      .map((link) => link.getAttribute("href")),
  ).toEqual(["/retractation", "/formulaire-retractation", "/cgv"]);
  expect(rights.textContent).toContain("14 jours");
  expect(screen.getByRole("list", { name: "Moyens de paiement acceptés" }).textContent).toContain(
    "Carte bancaire",
  );
});
