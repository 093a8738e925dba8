import { act, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AdminProduct, StaffProductFormProps } from "@/api/types";
import { goTo } from "@/lib/navigate";
import { barriers } from "@/testing/accessibility";
import { type Held, hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { draftNames, readDraft, writeDraft } from "../shared/drafts";
import { ProductEditor } from "./product-editor";

vi.mock("@/lib/navigate");

const ALL = { edit: true, prices: true, stock: true, remove: true, history: true };
const PROPS: StaffProductFormProps = {
  product_id: 7,
  categories: [
    { id: 1, name: "Mangas", slug: "mangas", offers_finishes: true },
    { id: 2, name: "Bust", slug: "bust", offers_finishes: false },
  ],
  countries: [{ code: "FR", name: "France" }],
  safety_classes: [{ code: "toy", label: "Jouet" }],
  promotion_types: [
    { code: "buy_2_get_1", label: "2 achetés, 1 offert" },
    { code: "buy_4_get_3", label: "4 achetés, 3 offerts" },
    { code: "percent", label: "Réduction en pourcentage" },
  ],
  rights: ALL,
  trash_days: 30,
};
const OURS = {
  id: 7,
  ...{ images: [], variants: [] },
  name: "Ours",
  name_en: "Bear",
  category: "Mangas",
  category_id: 1,
  price: "40.00",
  painted_price: "40.00",
  stock_quantity: 5,
  in_stock: true,
  is_published: true,
  picked_similar_names: [],
  stale_texts: ["name_en"],
  promotion_active: false,
  promotion_label: "",
  archived_at: null,
  trashed_at: null,
  source: "manual",
  created_at: "2026-11-01T10:00:00+01:00",
  updated_at: "2026-11-01T10:00:00.000001+01:00",
} as unknown as AdminProduct;

let stored: AdminProduct;
let answers: { status: number; body: unknown }[];
let held: Held | undefined;
let sent: { method: string; path: string; body: Record<string, unknown>; key: string | undefined }[];

beforeEach(() => {
  stored = OURS;
  answers = [];
  sent = [];
  held = undefined;
  localStorage.clear();
  document.body.innerHTML = '<div id="toasts" data-close="Fermer"></div>';
  vi.stubGlobal("fetch", async (path: string, { method = "GET", body, headers }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "token" });
    if (method === "GET") return Response.json(stored);
    const key = (headers as Record<string, string>)["Idempotency-Key"];
    sent.push({ method, path, body: JSON.parse(String(body ?? "{}")), key });
    if (path.endsWith("promotion-preview")) {
      return Response.json({ badge: "2 ACHETÉS 1 OFFERT", text: "", rows: [], example: null });
    }
    await held;
    const answer = answers.shift() ?? { status: 200, body: stored };
    return Response.json(answer.body, { status: answer.status });
  });
});
afterEach(() => vi.unstubAllGlobals());

const changes = () => sent.filter(({ method }) => method === "PATCH").map(({ body }) => body);

it("sends what was changed alone, with the version that was read", async () => {
  const { user, screen, container } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.clear(await screen.findByLabelText(/^Prix \(€\)/));
  await user.type(screen.getByLabelText(/^Prix \(€\)/), "35,5 €");
  await user.clear(screen.getByLabelText("Quantité en stock"));
  await user.type(screen.getByLabelText("Quantité en stock"), "7");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() => expect(changes()).toHaveLength(1));
  expect(changes()[0]).toEqual({
    price: "35.5",
    stock_quantity: 7,
    seen_stock_quantity: 5,
    expected_updated_at: OURS.updated_at,
  });
  await screen.findByText("Produit mis à jour avec succès");
  // Said once: the bar shows it to those who look.
  expect((await screen.findByText("La fiche est enregistrée")).getAttribute("role")).toBeNull();
  expect(await barriers(container)).toEqual([]);
});

it("says what is wrong beside the field and sends nothing", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.clear(await screen.findByLabelText(/^Nom \*/));
  await user.clear(screen.getByLabelText(/^Prix \(€\)/));
  await user.type(screen.getByLabelText(/^Prix \(€\)/), "1e3");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  expect(await screen.findByText("Ce champ est obligatoire.")).toBeTruthy();
  expect(await screen.findByText("Veuillez remplir tous les champs obligatoires")).toBeTruthy();
  expect(await screen.findByText(/Saisissez un montant en chiffres/)).toBeTruthy();
  expect(screen.getByLabelText(/^Prix \(€\)/).getAttribute("aria-invalid")).toBe("true");
  expect(changes()).toEqual([]);
});

it.each([
  ["external_id", "Référence externe"],
  // Another language was shown.
  ["name_de", "Nom (de)"],
])("puts the server's refusal of %s beside its field and keeps what was typed", async (name, label) => {
  const errors = { [name]: ["Déjà pris."] };
  answers = [{ status: 400, body: { code: "invalid", detail: "Certains champs sont à corriger.", errors } }];
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.type(await screen.findByLabelText("Référence externe"), "ours-1");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  expect(await screen.findByText("Déjà pris.")).toBeTruthy();
  // In a part of the form that was folded.
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(label)));
  expect(document.activeElement?.closest("details")?.open).toBe(true);
  expect(screen.getByLabelText("Référence externe")).toHaveProperty("value", "ours-1");
});

it("shows both versions of a conflict and goes on from the fresh one", async () => {
  const theirs = { ...OURS, name: "Ours polaire", price: "42.00", updated_at: "2026-11-02T10:00:00+01:00" };
  answers = [{ status: 409, body: { code: "conflict", detail: "Modifié.", current: theirs } }];
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.type(await screen.findByLabelText(/^Nom \*/), " blanc");
  await user.type(screen.getByLabelText("Dimensions"), "12 cm");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  expect(await screen.findByLabelText("La leurOurs polaire")).toBeTruthy();
  expect(screen.getByLabelText("La mienneOurs blanc")).toHaveProperty("checked", true);
  await user.click(await screen.findByRole("button", { name: "Continuer avec ces choix" }));
  expect(screen.getByLabelText(/^Nom \*/)).toHaveProperty("value", "Ours blanc");
  expect(screen.getByLabelText(/^Prix \(€\)/)).toHaveProperty("value", "42,00");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() => expect(changes()).toHaveLength(2));
  expect(changes()[1]).toEqual({
    name: "Ours blanc",
    dimensions: "12 cm",
    expected_updated_at: theirs.updated_at,
  });
});

it("gives back what was typed before the page was left", async () => {
  const first = await renderStaff(<ProductEditor {...PROPS} />);
  await first.user.type(await first.screen.findByLabelText("Dimensions"), "12 cm");
  await waitFor(() =>
    expect(readDraft("product-7")).toEqual({ values: { dimensions: "12 cm" }, seen: { dimensions: "" } }),
  );
  first.unmount();
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  expect(await screen.findByText("Votre brouillon est repris")).toBeTruthy();
  expect(screen.getByLabelText("Dimensions")).toHaveProperty("value", "12 cm");
  await user.click(screen.getByRole("button", { name: "Jeter le brouillon" }));
  expect(screen.getByLabelText("Dimensions")).toHaveProperty("value", "");
  expect(readDraft("product-7")).toBeUndefined();
});

it("asks whose value stays where somebody saved another over the one a draft began with", async () => {
  writeDraft("product-7", {
    values: { price: "35,50", dimensions: "12 cm" },
    seen: { price: "40,00", dimensions: "" },
  });
  stored = { ...OURS, price: "42.00" };
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  expect(await screen.findByLabelText("La leur42,00")).toBeTruthy();
  expect(screen.queryByLabelText("La mienne12 cm")).toBeNull();
  await user.click(screen.getByLabelText("La leur42,00"));
  await user.click(screen.getByRole("button", { name: "Continuer avec ces choix" }));
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() =>
    expect(changes()).toEqual([{ dimensions: "12 cm", expected_updated_at: OURS.updated_at }]),
  );
});

it("keeps what is typed while the rest is on its way", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.type(await screen.findByLabelText("Dimensions"), "12 cm");
  held = hold();
  const saved = { ...OURS, dimensions: "12 cm", updated_at: "2026-11-02T10:00:00+01:00" };
  answers = [{ status: 200, body: saved }];
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await user.type(screen.getByLabelText(/^Nom \*/), " blanc");
  held.arrive();
  const draft = { values: { name: "Ours blanc" }, seen: { name: "Ours" } };
  await screen.findByText("Produit mis à jour avec succès");
  await waitFor(() => expect(readDraft("product-7")).toEqual(draft));
  await user.click(await screen.findByRole("button", { name: "Enregistrer" }));
  await waitFor(() => expect(changes()).toHaveLength(2));
  expect(changes()[1]).toEqual({ name: "Ours blanc", expected_updated_at: saved.updated_at });
});

it("keeps a first change that is the only one", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.click(await screen.findByLabelText("En vedette"));
  await waitFor(() =>
    expect(readDraft("product-7")).toEqual({ values: { featured: true }, seen: { featured: false } }),
  );
  // The button that gives it up goes with it: keyboards go on from what stands before it.
  await user.click(screen.getByRole("button", { name: "Annuler" }));
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Supprimer"));
});

it("says why a product with changes is neither copied nor archived", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  const why = "Enregistrez ou annulez d'abord vos modifications.";
  const copy = await screen.findByRole("button", { name: "Dupliquer" });
  expect([copy.hasAttribute("disabled"), screen.queryByText(why)]).toEqual([false, null]);
  await user.click(screen.getByLabelText("En vedette"));
  expect([copy.hasAttribute("disabled"), screen.getByText(why).tagName]).toEqual([true, "P"]);
});

it("makes one copy, however long its page takes to come", async () => {
  answers = [{ status: 201, body: { ...OURS, id: 8 } }];
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  const copy = await screen.findByRole("button", { name: "Dupliquer" });
  await user.click(copy);
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith("/admin/produits/8"));
  await user.click(copy);
  expect(sent.map(({ path }) => path)).toEqual(["/api/admin/products/7/duplicate"]);
});

it("draws the page of a restored product anew: that of the trash lacks photos and variants", async () => {
  stored = { ...OURS, trashed_at: "2026-11-29T10:00:00Z" };
  answers = [{ status: 200, body: OURS }];
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.click(await screen.findByRole("button", { name: "Restaurer" }));
  expect(document.querySelector("form :is(button, input)")?.textContent).toBe("Restaurer");
  await waitFor(() => expect(goTo).toHaveBeenLastCalledWith("/admin/produits/7?restaure=1"));
  expect(sent.map(({ path }) => path)).toEqual(["/api/admin/products/7/restore"]);
});

it("sends a copy whose answer was lost under the same key, and another choice after it was told", async () => {
  stored = { ...OURS, images: [{}] } as unknown as AdminProduct;
  answers = [
    { status: 502, body: {} },
    { status: 422, body: { code: "idempotency_mismatch", detail: "Votre premier envoi est bien arrivé." } },
  ];
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  const copy = await screen.findByRole("button", { name: "Dupliquer" });
  await user.click(copy);
  await screen.findByText(/^Une erreur est survenue/);
  await user.click(screen.getByLabelText("Avec ses photos"));
  await user.click(copy);
  await screen.findByText(/^Votre premier envoi est bien arrivé/);
  await user.click(copy);
  await waitFor(() => expect(sent).toHaveLength(3));
  const [first, again, other] = sent.map(({ key }) => key);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect([again === first, other === first]).toEqual([true, false]);
});

it("keeps the key of a new product with its draft", async () => {
  writeDraft("product-new:1", { values: { name: "Ourse", price: "12", category: "2" }, seen: {}, key: "k1" });
  answers = [{ status: 201, body: { ...OURS, id: 9 } }];
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} product_id={null} />);
  await user.type(screen.getByLabelText(/^Nom \*/), " blanche");
  await waitFor(() =>
    expect(readDraft("product-new:1")).toMatchObject({ values: { name: "Ourse blanche" }, key: "k1" }),
  );
  await user.click(screen.getByRole("button", { name: "Créer le produit" }));
  await waitFor(() => expect(sent.map(({ key }) => key)).toEqual(["k1"]));
});

it("offers with a new product what was typed while it was being made", async () => {
  answers = [{ status: 201, body: { ...OURS, id: 12 } }];
  held = hold();
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} product_id={null} />);
  await user.type(screen.getByLabelText(/^Nom \*/), "Ours");
  await user.selectOptions(screen.getByLabelText(/^Catégorie/), "2");
  await user.type(screen.getByLabelText(/^Prix \(€\)/), "40");
  await user.click(screen.getByRole("button", { name: "Créer le produit" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  await user.type(screen.getByLabelText(/^Nom \*/), " brun");
  held.arrive();
  await waitFor(() => expect(readDraft("product-12")).toBeDefined());
  expect(sent[0]?.body.name).toBe("Ours");
  expect(readDraft("product-12")).toEqual({ values: { name: "Ours brun" }, seen: { name: OURS.name } });
  await new Promise((done) => setTimeout(done, 500));
  expect(draftNames("product-new")).toEqual([]);
});

it("takes up the last new product that was begun, and keeps another in a draft of its own", async () => {
  const [start, now] = [Date.now(), vi.spyOn(Date, "now")];
  const begun = (name: string, ago: number) => {
    now.mockReturnValueOnce(start - ago);
    writeDraft(`product-new:${name}`, { values: { name }, seen: {}, key: name });
  };
  begun("Loup", 2000);
  begun("Ours", 1000);
  begun("Lynx", 3000);
  now.mockRestore();
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} product_id={null} />);
  const field = screen.getByLabelText<HTMLInputElement>(/^Nom \*/);
  expect(field.value).toBe("Ours");
  await user.click(screen.getByRole("button", { name: "Jeter le brouillon" }));
  await waitFor(() =>
    expect(draftNames("product-new").sort()).toEqual(["product-new:Loup", "product-new:Lynx"]),
  );
  // The tab that it was taken over from goes on with it.
  writeDraft("product-new:Ours", { values: { name: "Ours brun" }, seen: {}, key: "Ours" });
  await user.type(field, "Renard");
  await waitFor(() => expect(draftNames("product-new")).toHaveLength(4));
  expect(readDraft("product-new:Ours")).toMatchObject({ values: { name: "Ours brun" } });
});

it("goes on under another name once a second tab has taken its draft over", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} product_id={null} />);
  await user.type(screen.getByLabelText(/^Nom \*/), "Ours");
  await waitFor(() => expect(draftNames("product-new")).toHaveLength(1));
  const [taken = ""] = draftNames("product-new");
  const theirs = { values: { name: "Loup" }, seen: {}, key: "k1" };
  writeDraft(taken, theirs);
  act(() => void dispatchEvent(new StorageEvent("storage", { key: `staff-draft:${taken}` })));
  await waitFor(() => expect(draftNames("product-new")).toHaveLength(2));
  const [mine = ""] = draftNames("product-new").filter((name) => name !== taken);
  expect(readDraft(mine)).toMatchObject({ values: { name: "Ours" } });
  expect(readDraft(taken)).toEqual(theirs);
});

it("fills and empties a promotion as its switch says", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.click(await screen.findByLabelText("Activer une promotion"));
  await user.selectOptions(screen.getByLabelText("Type de promotion"), "buy_4_get_3");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() => expect(changes()).toHaveLength(1));
  expect(changes()[0]).toMatchObject({
    promotion_active: true,
    promotion_type: "buy_4_get_3",
    promotion_buy_quantity: 4,
    promotion_get_quantity: 3,
  });
});

it("calls a translation right without a change", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  expect(await screen.findByText(/À revoir : le français a changé depuis/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Elle est toujours juste" }));
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() => expect(changes()).toHaveLength(1));
  expect(changes()[0]).toEqual({ confirmed_texts: ["name_en"], expected_updated_at: OURS.updated_at });
});

it("leaves to the packers their stock alone", async () => {
  const rights = { edit: false, prices: false, stock: true, remove: false, history: false };
  const { screen } = await renderStaff(<ProductEditor {...PROPS} rights={rights} />);
  expect(await screen.findByLabelText("Quantité en stock")).toHaveProperty("disabled", false);
  expect(screen.getByLabelText(/^Nom \*/)).toHaveProperty("disabled", true);
  expect(screen.getByLabelText(/^Prix \(€\)/)).toHaveProperty("disabled", true);
  expect(screen.queryByText("Copier, archiver, supprimer")).toBeNull();
});

it("asks before typed words are given up", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await user.type(await screen.findByLabelText("Dimensions"), "12 cm");
  const giveUp = () => user.click(screen.getByRole("button", { name: "Annuler" }));
  await giveUp();
  const asked = within(screen.getByRole("dialog", { name: /^Jeter ce qui n'est pas enregistré\s\?$/ }));
  await user.click(asked.getByRole("button", { name: "Annuler" }));
  expect(screen.getByLabelText("Dimensions")).toHaveProperty("value", "12 cm");
  await giveUp();
  await user.click(screen.getByRole("button", { name: "Jeter mes changements" }));
  expect(screen.getByLabelText("Dimensions")).toHaveProperty("value", "");
  expect([screen.queryByRole("dialog"), document.activeElement?.textContent]).toEqual([null, "Enregistrer"]);
});

it("leaves in the draft what another tab keeps of the same product, until that is saved, too", async () => {
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  await screen.findByLabelText("Dimensions");
  const theirs = { values: { material: "Résine végétale" }, seen: { material: "" } };
  writeDraft("product-7", theirs);
  await user.type(screen.getByLabelText("Dimensions"), "12 cm");
  await waitFor(() =>
    expect(readDraft("product-7")).toEqual({
      values: { material: "Résine végétale", dimensions: "12 cm" },
      seen: { material: "", dimensions: "" },
    }),
  );
  await user.clear(screen.getByLabelText("Dimensions"));
  await waitFor(() => expect(readDraft("product-7")).toEqual(theirs));
  await user.type(screen.getByLabelText("Dimensions"), "13 cm");
  answers = [{ status: 200, body: { ...OURS, dimensions: "13 cm" } }];
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await screen.findByText("Produit mis à jour avec succès");
  expect(changes()).toEqual([{ dimensions: "13 cm", expected_updated_at: OURS.updated_at }]);
  await waitFor(() => expect(readDraft("product-7")).toEqual(theirs));
});
