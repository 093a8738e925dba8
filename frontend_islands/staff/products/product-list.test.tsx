import { waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AdminProductRow, StaffProductsProps } from "@/api/types";
import { barriers } from "@/testing/accessibility";
import { type Held, hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { ProductList } from "./product-list";

const PROPS: StaffProductsProps = {
  categories: [{ id: 2, name: "Bust", slug: "bust", offers_finishes: false }],
  promotion_types: [{ code: "buy_2_get_1", label: "2 achetés, 1 offert" }],
  rights: { edit: true, prices: true, stock: true, remove: true, history: true },
  trash_days: 30,
  most_at_once: 500,
};

function row(id: number, name: string, more: Partial<AdminProductRow> = {}): AdminProductRow {
  return {
    id,
    name,
    url: "",
    summary: "Assis.",
    category: "Bust",
    price: "40.00",
    price_from: "40.00",
    price_to: "40.00",
    original_price: null,
    image: null,
    featured: false,
    in_stock: true,
    sold_out: false,
    stock_quantity: null,
    is_published: true,
    archived_at: null,
    trashed_at: null,
    promotion_label: "",
    stale_texts: [],
    source: "manual",
    external_id: null,
    created_at: "2026-11-01T10:00:00+01:00",
    updated_at: "2026-11-01T10:00:00+01:00",
    ...more,
  };
}

let asked: string[];
let sent: Record<string, unknown>[];
let rows: AdminProductRow[];
let isLost: boolean;
let held: Held | undefined;

beforeEach(() => {
  asked = [];
  sent = [];
  isLost = false;
  held = undefined;
  rows = [row(1, "Ours", { featured: true, sold_out: true, original_price: "50.00" }), row(2, "Lynx")];
  history.replaceState(null, "", "/admin/produits");
  document.body.innerHTML = '<div id="toasts" data-close="Fermer"></div>';
  vi.stubGlobal("fetch", async (path: string, { method = "GET", body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "token" });
    if (method === "GET") {
      asked.push(path);
      await held;
      const isSecond = path.includes("cursor=next");
      return Response.json({
        count: 3,
        next: null,
        previous: null,
        next_cursor: isSecond || rows.length < 2 ? null : "next",
        results: isSecond ? [row(3, "Élan")] : rows,
      });
    }
    const call = JSON.parse(String(body ?? JSON.stringify({ path })));
    sent.push(call);
    if (isLost) throw new TypeError("Failed to fetch");
    const changes = [{ field: "featured", label: "en vedette", before: false, after: true }];
    if (call.fields?.price === "abc") {
      const errors = { "fields.price": ["Saisissez un montant en chiffres."] };
      return Response.json(
        { code: "invalid", detail: "Certains champs sont à corriger.", errors },
        { status: 400 },
      );
    }
    if (call.dry_run) {
      await held;
      return Response.json({ count: 1, preview_key: "key", changes: [{ id: 2, name: "Lynx", changes }] });
    }
    return Response.json({ count: call.ids?.length });
  });
});
afterEach(() => vi.unstubAllGlobals());

it("lists products with their badges and pages", async () => {
  const { user, screen, container } = await renderStaff(<ProductList {...PROPS} />);
  expect(await screen.findByText("Produits existants (3)")).toBeTruthy();
  expect(screen.getByText("Vedette")).toBeTruthy();
  expect(screen.getByText("Rupture")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Ours" }).getAttribute("href")).toBe("/admin/produits/1");
  await user.click(screen.getByRole("button", { name: "Afficher la suite" }));
  expect(await screen.findByRole("link", { name: "Élan" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Afficher la suite" })).toBeNull();
  // Keyboards go on before what came.
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Supprimer Lynx");
  expect(await barriers(container)).toEqual([]);
});

it.each([
  ["", "/admin/promotions/nouveau?produits=1,2", "Promotion…"],
  ["?promotion=7", "/admin/promotions/7?produits=1,2", "Ajouter à la promotion"],
  ["?promotion=..%2Fx", "/admin/promotions/nouveau?produits=1,2", "Promotion…"],
])("leads with the marked products to a promotion: %s", async (query, address, name) => {
  history.replaceState(null, "", `/admin/produits${query}`);
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.selectOptions(await screen.findByLabelText("Trier par"), "name");
  expect(location.search.includes("promotion=7")).toBe(query === "?promotion=7");
  await user.click(await screen.findByRole("button", { name: "Sélectionner tout" }));
  expect(screen.getByRole("link", { name }).getAttribute("href")).toBe(address);
  expect(asked.some((path) => path.includes("promotion"))).toBe(false);
});

it("searches after a pause and keeps the filters in the address", async () => {
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.type(screen.getByLabelText("Rechercher un produit"), "ours");
  await user.click(screen.getByRole("button", { name: "Masqués" }));
  await waitFor(() => expect(asked.at(-1)).toBe("/api/admin/products?search=ours&state=hidden"));
  expect(location.search).toBe("?search=ours&state=hidden");
});

it("says that nothing was found once that is known, not because nothing was before", async () => {
  rows = [];
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  expect(await screen.findByText("Aucun produit trouvé")).toBeTruthy();
  held = hold();
  await user.click(screen.getByRole("button", { name: "Masqués" }));
  expect(screen.queryByText("Aucun produit trouvé")).toBeNull();
  expect(screen.getByRole("heading").textContent).toBe("Produits existants (…)");
  held.arrive();
  expect(await screen.findByText("Aucun produit trouvé")).toBeTruthy();
});

it.each([
  ["Supprimer", "Supprimer (2)", "Supprimer"],
  ["Modifier", "Modifier (2)", "Appliquer à 1 produit(s)"],
])("%s: reads the list again when no answer came", async (action, open, confirm) => {
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.click(await screen.findByRole("button", { name: "Sélectionner tout" }));
  await user.click(screen.getByRole("button", { name: open }));
  if (action === "Modifier") {
    await user.selectOptions(screen.getByLabelText("En vedette"), "yes");
    await user.click(screen.getByRole("button", { name: "Voir ce qui change" }));
    await screen.findByText("en vedette");
  }
  isLost = true;
  rows = [row(2, "Lynx")];
  await user.click(screen.getByRole("button", { name: confirm }));
  await screen.findByText(/^La boutique ne répond pas/);
  await waitFor(() => expect(screen.queryByRole("link", { name: "Ours" })).toBeNull());
});

it("changes what was shown, though more was typed while that was on its way", async () => {
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.click(await screen.findByRole("button", { name: "Sélectionner tout" }));
  await user.click(screen.getByRole("button", { name: "Modifier (2)" }));
  const price = screen.getByLabelText(/^Prix/);
  await user.type(price, "40");
  held = hold();
  await user.click(screen.getByRole("button", { name: "Voir ce qui change" }));
  await user.type(price, "0");
  held.arrive();
  await user.click(await screen.findByRole("button", { name: "Appliquer à 1 produit(s)" }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toEqual({ ids: [1, 2], action: "update", fields: { price: "40" }, preview_key: "key" });
});

it("asks before it deletes, and takes it back", async () => {
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.click(await screen.findByRole("button", { name: "Sélectionner tout" }));
  await user.click(screen.getByRole("button", { name: "Supprimer (2)" }));
  expect(screen.getByText("Êtes-vous sûr de vouloir supprimer 2 produit(s) ?")).toBeTruthy();
  expect(sent).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Supprimer" }));
  expect(await screen.findByText("2 produit(s) supprimé(s) avec succès")).toBeTruthy();
  await user.click(screen.getByText("Annuler"));
  await waitFor(() =>
    expect(sent.map(({ action, ids }) => [action, ids])).toEqual([
      ["delete", [1, 2]],
      ["restore", [1, 2]],
    ]),
  );
});

it("erases once though the answer is pressed twice", async () => {
  rows = [{ ...row(1, "Ours"), trashed_at: "2026-11-20T10:00:00+01:00" }];
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.click(await screen.findByRole("button", { name: "Effacer Ours définitivement" }));
  await user.dblClick(screen.getByRole("button", { name: "Effacer" }));
  await waitFor(() => expect(screen.queryByText("Effacer définitivement ?")).toBeNull());
  expect(sent).toEqual([{ path: "/api/admin/products/1?permanently=true" }]);
});

it("restores once though it is pressed twice", async () => {
  rows = [{ ...row(1, "Ours"), trashed_at: "2026-11-20T10:00:00+01:00" }];
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.dblClick(await screen.findByRole("button", { name: "Restaurer Ours" }));
  expect(await screen.findByText("1 produit(s) restauré(s)")).toBeTruthy();
  expect(sent).toEqual([{ ids: [1], action: "restore" }]);
});

it("says which field of a bulk change is refused, and why", async () => {
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.click(await screen.findByLabelText("Sélectionner Lynx"));
  await user.click(screen.getByRole("button", { name: "Modifier (1)" }));
  await user.type(screen.getByLabelText("Prix de base (€)"), "abc");
  await user.click(screen.getByRole("button", { name: "Voir ce qui change" }));
  await screen.findByText("Saisissez un montant en chiffres.");
  expect(screen.getByLabelText("Prix de base (€)").getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByLabelText("Quantité en stock").getAttribute("aria-invalid")).toBeNull();
});

it("says in its dialog why a bulk change was not made, until it is changed", async () => {
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.click(await screen.findByLabelText("Sélectionner Lynx"));
  await user.click(screen.getByRole("button", { name: "Modifier (1)" }));
  await user.selectOptions(screen.getByLabelText("En vedette"), "yes");
  await user.click(screen.getByRole("button", { name: "Voir ce qui change" }));
  await screen.findByText("en vedette");
  isLost = true;
  await user.click(screen.getByRole("button", { name: "Appliquer à 1 produit(s)" }));
  const dialog = within(screen.getByRole("dialog"));
  expect((await dialog.findByRole("alert")).textContent).toMatch(/^Erreur lors de la sauvegardeLa boutique/);
  expect(document.querySelector(".toast")).toBeNull();
  isLost = false;
  await user.click(dialog.getByRole("button", { name: "Retour" }));
  await user.click(dialog.getByRole("button", { name: "Voir ce qui change" }));
  await dialog.findByText("en vedette");
  expect(dialog.queryByRole("alert")).toBeNull();
});

it("shows what a bulk change does before it is done", async () => {
  const { user, screen } = await renderStaff(<ProductList {...PROPS} />);
  await user.click(await screen.findByLabelText("Sélectionner Lynx"));
  await user.click(screen.getByRole("button", { name: "Modifier (1)" }));
  await user.selectOptions(screen.getByLabelText("En vedette"), "yes");
  await user.click(screen.getByRole("button", { name: "Voir ce qui change" }));
  expect(await screen.findByText("en vedette")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Appliquer à 1 produit(s)" }));
  await screen.findByText("1 produit(s) modifié(s) avec succès");
  const fields = { featured: true };
  expect(sent).toEqual([
    { ids: [2], action: "update", fields, dry_run: true },
    { ids: [2], action: "update", fields, preview_key: "key" },
  ]);
});

it("lets the team change the stock of several products, and nothing else", async () => {
  const rights = { edit: false, prices: false, stock: true, remove: false, history: false };
  const { user, screen } = await renderStaff(<ProductList {...PROPS} rights={rights} />);
  await user.click(await screen.findByRole("checkbox", { name: "Sélectionner Ours" }));
  const bar = within(screen.getByRole("region", { name: "Produits sélectionnés" }));
  const offered = [...bar.getAllByRole("button"), ...bar.queryAllByRole("link")];
  expect(offered.map(({ textContent }) => textContent)).toEqual(["Modifier (1)", "Désélectionner"]);
  await user.click(bar.getByRole("button", { name: "Modifier (1)" }));
  const fields = screen.getByRole("dialog").querySelectorAll<HTMLInputElement>("select, input");
  expect([...fields].map(({ labels }) => labels?.[0]?.textContent.trim())).toEqual([
    "Disponible",
    "Quantité en stock",
  ]);
});

it("offers the team nothing to choose in the trash", async () => {
  rows = [row(1, "Ours", { trashed_at: "2026-11-02T10:00:00+01:00" })];
  history.replaceState(null, "", "/admin/produits?state=trashed");
  const rights = { edit: false, prices: false, stock: true, remove: false, history: false };
  const { screen } = await renderStaff(<ProductList {...PROPS} rights={rights} />);
  await screen.findByText("Ours");
  expect(screen.queryByRole("checkbox")).toBeNull();
  expect(screen.queryByRole("button", { name: "Sélectionner tout" })).toBeNull();
});
