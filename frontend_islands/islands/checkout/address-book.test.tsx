import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { goTo } from "@/lib/navigate";
import { dropTab, FORM_KEY } from "@/purchase/tab-memory";
import { field, openCheckout, payButton, put, startShopping, termsBox } from "@/testing/checkout";
import { json, member } from "@/testing/purchase";

vi.mock("@/lib/toast");
vi.mock("@/lib/navigate");

const home = {
  id: 7,
  label: "Maison",
  first_name: "Ada",
  last_name: "Lovelace",
  address: "1 rue du Four",
  postal_code: "75006",
  city: "Paris",
  country: "FR",
  custom_country: "",
  phone: "",
  is_delivery_default: true,
  is_billing_default: true,
};
const away = {
  ...home,
  id: 8,
  label: "",
  address: "9 quai Sud",
  city: "Berne",
  postal_code: "3000",
  country: "CH",
};
const unserved = { ...home, id: 9, country: "KP" };

beforeEach(() => {
  startShopping();
  dropTab(FORM_KEY);
});

it("opens with the first saved address, and changes with the choice", async () => {
  const { user } = await openCheckout({ me: member, addresses: () => json([home, away, unserved]) });
  const book = await screen.findByLabelText("Vos adresses enregistrées");
  expect(field("Adresse")).toHaveProperty("value", "1 rue du Four");
  expect([...(book as HTMLSelectElement).options].map(({ text }) => text)).toEqual([
    "Maison, 1 rue du Four, Paris",
    "9 quai Sud, Berne",
    "Une autre adresse",
  ]);
  await user.selectOptions(book, "8");
  expect(field("Ville")).toHaveProperty("value", "Berne");
  expect(field("Pays")).toHaveProperty("value", "CH");
  expect(screen.queryByText("Enregistrer cette adresse dans mon compte")).toBeNull();
});

it("takes back what it said of fields that a saved address fills in", async () => {
  const { user } = await openCheckout({ me: member, addresses: () => json([home, away]) });
  const book = await screen.findByLabelText("Vos adresses enregistrées");
  await user.selectOptions(book, "Une autre adresse");
  await user.click(termsBox());
  await user.click(payButton());
  const wrong = () => [...document.querySelectorAll("[aria-invalid=true]")].map(({ id }) => id);
  expect(wrong()).toHaveLength(5);
  await user.selectOptions(book, "8");
  expect(wrong()).toEqual([]);
});

it("saves the typed address with the order when asked to, and orders without it when it can't", async () => {
  const saved: unknown[] = [];
  const { user } = await openCheckout({
    me: member,
    addresses: ({ method, body }) => {
      if (method === "GET") return json([]);
      saved.push(body);
      return json({ code: "too_many_addresses", detail: "Plein" }, 409);
    },
  });
  expect(screen.queryByLabelText("Vos adresses enregistrées")).toBeNull();
  for (const [name, text] of [
    ["Prénom", "Ada"],
    ["Nom", "Lovelace"],
    ["Adresse", "3 rue Neuve"],
    ["Code postal", "69003"],
    ["Ville", "Lyon"],
  ] as const)
    await put(user, name, text);
  await user.click(
    await screen.findByRole("checkbox", { name: "Enregistrer cette adresse dans mon compte" }),
  );
  await user.click(termsBox());
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledOnce());
  expect(saved).toEqual([
    {
      first_name: "Ada",
      last_name: "Lovelace",
      address: "3 rue Neuve",
      postal_code: "69003",
      city: "Lyon",
      country: "FR",
      custom_country: "",
      phone: "",
    },
  ]);
});

it("does not save the address of a gift's recipient as the member's own", async () => {
  const saved: unknown[] = [];
  const { user } = await openCheckout({
    me: member,
    addresses: ({ method, body }) => {
      if (method === "POST") saved.push(body);
      return json([home]);
    },
  });
  await screen.findByLabelText("Vos adresses enregistrées");
  await put(user, "Adresse", "3 rue Neuve");
  const box = () => screen.queryByRole("checkbox", { name: "Enregistrer cette adresse dans mon compte" });
  await user.click(box() as HTMLElement);
  await user.click(screen.getByRole("checkbox", { name: "C'est un cadeau" }));
  expect(box()).toBeNull();
  await put(user, "Nom du destinataire", "Zoé Petit");
  await user.click(termsBox());
  await user.click(payButton());
  await waitFor(() => expect(goTo).toHaveBeenCalledOnce());
  expect(saved).toEqual([]);
});
