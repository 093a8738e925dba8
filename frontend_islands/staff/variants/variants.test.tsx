import { act, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { VariantGrid } from "@/api/types";
import { emit, listen } from "@/lib/events";
import { forgetMe } from "@/lib/me";
import { type Held, hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { format, RIGHTS, row } from "@/testing/variant-grid";
import { readDraft, writeDraft } from "../shared/drafts";
import { Variants } from "./variants";

const sent: { method: string; path: string; body: unknown }[] = [];
let keys: (string | undefined)[] = [];
let grid: VariantGrid;
let held: Held | undefined;
let isLost = false;
let refusal: { status: number; body: Record<string, unknown> } | undefined;

beforeEach(() => {
  forgetMe();
  localStorage.clear();
  sent.length = 0;
  keys = [];
  refusal = undefined;
  held = undefined;
  isLost = false;
  grid = {
    version: "v1",
    formats: [format(1, "Petit"), format(2, "Grand")],
    rows: [row(1, "Petit · Peint"), row(2, "Grand · Peint", { unit_price: "70.00" })],
    images: [{ id: 9, thumbnail_url: "/media/9.webp", alt: "" }],
    product: {
      price: "50.00",
      stock_quantity: null,
      weight_grams: 400,
      weight: "",
      dimensions: "",
      height_cm: null,
      production_days_min: null,
      production_days_max: null,
    },
    offers_formats: true,
  };
  vi.stubGlobal("fetch", async (path: string, options: RequestInit = {}) => {
    const method = options.method ?? "GET";
    const answer = (body: unknown, status = 200) =>
      new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
    if (path === "/api/me") return answer({ csrf_token: "token" });
    if (isLost) throw new TypeError("Failed to fetch");
    if (method === "GET") return answer(grid);
    sent.push({ method, path, body: options.body ? JSON.parse(String(options.body)) : null });
    keys.push((options.headers as Record<string, string>)["Idempotency-Key"]);
    await held;
    if (refusal) return answer(refusal.body, refusal.status);
    return method === "DELETE" ? new Response(null, { status: 204 }) : answer(grid);
  });
  document.body.innerHTML = '<div id="toasts" popover="manual" data-close="Fermer"></div>';
});

afterEach(() => vi.unstubAllGlobals());

async function draw(rights = RIGHTS) {
  const drawn = await renderStaff(<Variants product_id={7} rights={rights} />);
  const card = async (name: string) =>
    within((await drawn.screen.findByRole("heading", { name, level: 4 })).closest("li") as HTMLElement);
  return { ...drawn, card };
}

test("only what was changed is sent, with the stock that was seen", async () => {
  const { user, screen, card } = await draw();
  const small = await card("Petit · Peint");
  await user.click(small.getByRole("button", { name: "Un de plus" }));
  await user.type(small.getByLabelText("Prix propre (€)"), "49,9");
  const large = await card("Grand · Peint");
  await user.click(large.getByRole("checkbox", { name: "Disponible" }));
  expect(screen.getByText("2 lignes modifiées")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(screen.queryByText("2 lignes modifiées")).toBeNull());
  // The button is gone: keyboards go on at what stands before its place.
  expect(document.activeElement?.closest("li")?.contains(large.getByRole("heading", { level: 4 }))).toBe(
    true,
  );
  expect(sent).toEqual([
    {
      method: "PUT",
      path: "/api/admin/products/7/variants",
      body: {
        version: "v1",
        rows: [
          { id: 1, stock_quantity: 5, price: "49.9", seen_stock: 4 },
          { id: 2, in_stock: false },
        ],
      },
    },
  ]);
});

test("what is typed while the rest is on its way stays to be saved", async () => {
  const { user, screen, card } = await draw();
  const small = await card("Petit · Peint");
  await user.type(small.getByLabelText("Référence (SKU)"), "OURS");
  const save = screen.getByRole("button", { name: "Enregistrer les déclinaisons" });
  held = hold();
  await user.click(save);
  await user.type(small.getByLabelText("Prix propre (€)"), "45");
  grid = { ...grid, version: "v2", rows: [row(1, "Petit · Peint", { sku: "OURS" })] };
  held.arrive();
  await screen.findByText("Déclinaisons enregistrées");
  expect((small.getByLabelText("Prix propre (€)") as HTMLInputElement).value).toBe("45");
  await user.click(save);
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toEqual({ version: "v2", rows: [{ id: 1, price: "45" }] });
});

test("a format that is moved while the rest is on its way stays there to be saved", async () => {
  const { user, screen, card } = await draw();
  await user.type((await card("Petit · Peint")).getByLabelText("Référence (SKU)"), "OURS");
  const save = screen.getByRole("button", { name: "Enregistrer les déclinaisons" });
  held = hold();
  await user.click(save);
  await user.click(screen.getByRole("button", { name: "Monter : Grand" }));
  grid = { ...grid, version: "v2" };
  held.arrive();
  await screen.findByText("Déclinaisons enregistrées");
  await user.click(save);
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toEqual({ version: "v2", rows: [], format_ids: [2, 1] });
});

test.each([
  ["the same value", { price: "42.00" }, true],
  ["another one", { sku: "OURS" }, false],
])("another action tells that somebody changed %s since it was typed over", async (_what, theirs, isTold) => {
  const { user, screen, card } = await draw();
  await user.type((await card("Petit · Peint")).getByLabelText("Prix propre (€)"), "45");
  grid = { ...grid, version: "v2", rows: [row(1, "Petit · Peint", theirs), ...grid.rows.slice(1)] };
  await user.click(screen.getByRole("button", { name: "Choisir par défaut : Grand" }));
  const small = await card("Petit · Peint");
  await waitFor(() =>
    expect(small.getByLabelText<HTMLInputElement>("Référence (SKU)").value).toBe(
      "sku" in theirs ? theirs.sku : "",
    ),
  );
  expect(small.getByLabelText<HTMLInputElement>("Prix propre (€)").value).toBe("45");
  await screen.findByText("Format enregistré");
  expect(screen.queryByText(/Quelqu'un a modifié/) !== null).toBe(isTold);
});

test.each([
  ["v1", /^Vos changements non enregistrés ont été repris/],
  ["v0", /Quelqu'un a modifié les déclinaisons entre-temps/],
])("a draft typed over %s is taken up, and what was saved since is said", async (version, said) => {
  writeDraft("grid-7", { version, fields: { "1.price": "45" } });
  const { screen, card } = await draw();
  expect(await screen.findByText(said)).toBeTruthy();
  const small = await card("Petit · Peint");
  expect((small.getByLabelText("Prix propre (€)") as HTMLInputElement).value).toBe("45");
});

test("a draft of a number in stock says what orders left of it since", async () => {
  const before = await draw();
  const small = await before.card("Petit · Peint");
  await before.user.click(small.getByRole("button", { name: "Un de plus" }));
  before.unmount();
  grid = { ...grid, rows: [row(1, "Petit · Peint", { stock_quantity: 2 }), ...grid.rows.slice(1)] };
  const { screen, card } = await draw();
  expect(await screen.findByText(/Quelqu'un a modifié les déclinaisons entre-temps/)).toBeTruthy();
  const stock = (await card("Petit · Peint")).getByLabelText<HTMLInputElement>("Stock");
  expect(stock.value).toBe("5");
  expect(document.getElementById(stock.getAttribute("aria-describedby") ?? "")?.textContent).toMatch(
    /^Maintenant\s: 2$/,
  );
});

test("what another tab types into the grid stays in the draft until that tab saves it", async () => {
  const { user, screen, card } = await draw();
  const small = await card("Petit · Peint");
  const theirs = { version: "v1", fields: { "1.price": "45", "2.in_stock": false } };
  writeDraft("grid-7", theirs);
  const sku = small.getByLabelText("Référence (SKU)");
  await user.type(sku, "OURS");
  expect(readDraft("grid-7")).toEqual({ version: "v1", fields: { ...theirs.fields, "1.sku": "OURS" } });
  await user.clear(sku);
  expect(readDraft("grid-7")).toEqual(theirs);
  await user.type(sku, "OURS");
  grid = { ...grid, version: "v2", rows: [row(1, "Petit · Peint", { sku: "OURS" }), ...grid.rows.slice(1)] };
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await screen.findByText("Déclinaisons enregistrées");
  expect(sent[0]?.body).toEqual({ version: "v1", rows: [{ id: 1, sku: "OURS" }] });
  // Whoever takes it up hears that the grid is another by now.
  expect(readDraft("grid-7")).toEqual({ ...theirs, version: "" });
});

test("a refusal stands beside its field and nothing typed is lost", async () => {
  const { user, screen, card } = await draw();
  refusal = {
    status: 400,
    body: {
      code: "invalid",
      detail: "Certains champs sont à corriger.",
      errors: { "rows.2.sku": ["Déjà prise."] },
    },
  };
  const large = await card("Grand · Peint");
  await user.type(large.getByLabelText("Référence (SKU)"), "OURS");
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  expect(await large.findByText(/Déjà prise\./)).toBeTruthy();
  const field = large.getByLabelText("Référence (SKU)") as HTMLInputElement;
  expect([field.value, field.getAttribute("aria-invalid")]).toEqual(["OURS", "true"]);
});

test("another person's grid is shown, and what was typed stays to be saved on it", async () => {
  const { user, screen, card } = await draw();
  await user.type((await card("Petit · Peint")).getByLabelText("Référence (SKU)"), "MIEN");
  const current = {
    ...grid,
    version: "v2",
    rows: [row(1, "Petit · Peint", { price: "45.00" }), grid.rows[1]],
  };
  refusal = { status: 409, body: { code: "conflict", detail: "Modifiées.", current } };
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  expect(await screen.findByText(/Quelqu'un a modifié les déclinaisons entre-temps/)).toBeTruthy();
  const small = await card("Petit · Peint");
  expect((small.getByLabelText("Prix propre (€)") as HTMLInputElement).value).toBe("45,00");
  refusal = undefined;
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toEqual({ version: "v2", rows: [{ id: 1, sku: "MIEN" }] });
});

test("photos that are added beside the grid can be chosen, and what was typed stays", async () => {
  const { user, screen, card } = await draw();
  const small = await card("Petit · Peint");
  await user.type(small.getByLabelText("Référence (SKU)"), "MIEN");
  const added = { id: 10, thumbnail_url: "/media/10.webp", alt: "" };
  grid = { ...grid, version: "v2", images: [...grid.images, added] };
  const fetched = vi.spyOn(window, "fetch");
  act(() => emit("product:changed", { productId: 8, by: "photos" }));
  expect(fetched).not.toHaveBeenCalled();
  act(() => emit("product:changed", { productId: 7, by: "photos" }));
  await user.click(small.getByRole("button", { name: /^Photos du produit/ }));
  await user.click(await screen.findByRole("checkbox", { name: "Photo 2" }));
  await user.click(screen.getByRole("button", { name: "Terminer" }));
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toEqual({ version: "v2", rows: [{ id: 1, sku: "MIEN", image_ids: [10] }] });
});

test("the grid is read again once the form beside it saved, and tells the others what it saved", async () => {
  const told: unknown[] = [];
  onTestFinished(listen("product:changed", ({ by }) => told.push(by)));
  const { user, screen, card } = await draw();
  await card("Petit · Peint");
  grid = { ...grid, rows: [row(1, "Petit · Peint", { unit_price: "62.00" }), row(3, "Petit · Non peint")] };
  act(() => emit("product:changed", { productId: 7, by: "form" }));
  const raw = await card("Petit · Non peint");
  expect((await card("Petit · Peint")).getByText(/^En vente à 62,00\s€$/)).toBeTruthy();
  await user.type(raw.getByLabelText("Référence (SKU)"), "BRUT");
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(told).toEqual(["form", "variants"]));
});

test("a grid stays as it was saved, though an older one was still being read", async () => {
  const { user, screen, card } = await draw();
  const field = (await card("Petit · Peint")).getByLabelText<HTMLInputElement>("Référence (SKU)");
  await user.type(field, "MIEN");
  const read = hold();
  const old = Response.json(grid);
  vi.spyOn(window, "fetch").mockImplementationOnce(async () => {
    await read;
    return old;
  });
  act(() => emit("product:changed", { productId: 7, by: "photos" }));
  grid = { ...grid, version: "v2", rows: [row(1, "Petit · Peint", { sku: "MIEN" })] };
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(screen.queryByText("1 ligne modifiée")).toBeNull());
  await act(async () => read.arrive());
  await user.type(field, "-2");
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toEqual({ version: "v2", rows: [{ id: 1, sku: "MIEN-2" }] });
});

test("of formats that nobody made the default one, the first is", async () => {
  grid.formats = [format(2, "Grand"), format(3, "Géant")];
  const { screen } = await draw();
  const rows = (await screen.findAllByRole("button", { name: /^Choisir par défaut/ })).map(
    (button) => button.closest("li")?.querySelector(".badge")?.textContent ?? "",
  );
  expect(rows).toEqual(["Par défaut", ""]);
});

test("formats are added, put in order, made default and removed after a question", async () => {
  const { user, screen } = await draw();
  await user.click(await screen.findByRole("button", { name: "Ajouter un format" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.click(dialog.getByRole("button", { name: "Enregistrer le format" }));
  expect(dialog.getByText("Le nom de la variation est obligatoire")).toBeTruthy();
  expect(document.activeElement).toBe(dialog.getByLabelText("Nom"));
  const ways = dialog.getAllByRole("radio") as HTMLInputElement[];
  expect(new Set(ways.map(({ name }) => name || "none alone"))).toEqual(new Set([ways[0]?.name]));
  await user.type(dialog.getByLabelText("Nom"), "Géant");
  await user.click(dialog.getByLabelText("Ajouter ou retirer un montant"));
  await user.type(dialog.getByLabelText("Écart (€)"), "15,5");
  refusal = { status: 502, body: {} };
  await user.click(dialog.getByRole("button", { name: "Enregistrer le format" }));
  await dialog.findByText(/Une erreur est survenue/);
  refusal = undefined;
  await user.click(dialog.getByRole("button", { name: "Enregistrer le format" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  // The first, whose answer was lost.
  sent.shift();
  await user.click(screen.getByRole("button", { name: "Choisir par défaut : Grand" }));
  await user.click(screen.getByRole("button", { name: "Supprimer : Grand" }));
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Supprimer" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Monter : Grand" }));
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(sent).toHaveLength(4));
  const names = { name: "Géant", name_en: "", name_es: "", name_de: "" };
  expect(sent).toEqual([
    {
      method: "POST",
      path: "/api/admin/products/7/variations",
      body: { ...names, price_adjustment: "15.5", price_override: null },
    },
    { method: "POST", path: "/api/admin/products/7/variations/2/default", body: null },
    { method: "DELETE", path: "/api/admin/products/7/variations/2", body: null },
    {
      method: "PUT",
      path: "/api/admin/products/7/variants",
      body: { version: "v1", rows: [], format_ids: [2, 1] },
    },
  ]);
});

test("a format that somebody else removed leaves the list when it can't be removed", async () => {
  const { user, screen } = await draw();
  await user.click(await screen.findByRole("button", { name: "Supprimer : Grand" }));
  refusal = { status: 404, body: { code: "not_found", detail: "Ce format n'existe plus." } };
  grid = { ...grid, version: "v2", formats: [format(1, "Petit")], rows: grid.rows.slice(0, 1) };
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Supprimer" }));
  await screen.findByText("Ce format n'existe plus.");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Supprimer : Grand" })).toBeNull());
});

test("what was typed and moved stays where the grid can't be read again", async () => {
  const { user, screen, card } = await draw();
  const field = (await card("Petit · Peint")).getByLabelText<HTMLInputElement>("Référence (SKU)");
  await user.type(field, "MIEN");
  await user.click(screen.getByRole("button", { name: "Monter : Grand" }));
  isLost = true;
  act(() => emit("product:changed", { productId: 7, by: "photos" }));
  await screen.findByRole("alert");
  expect([field.isConnected, field.value]).toEqual([true, "MIEN"]);
  isLost = false;
  await user.click(screen.getByRole("button", { name: "Réessayer" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Enregistrer les déclinaisons" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toEqual({ version: "v1", rows: [{ id: 1, sku: "MIEN" }], format_ids: [2, 1] });
});

test("a format that is saved again after a conflict keeps the price that somebody else gave it", async () => {
  const { user, screen } = await draw();
  await user.click(await screen.findByRole("button", { name: "Modifier : Grand" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.type(dialog.getByLabelText("Nom en allemand"), "Groß");
  const theirs = { ...format(2, "Grand"), price_override: "70.00" };
  const current = { ...grid, version: "v2", formats: [format(1, "Petit"), theirs] };
  refusal = { status: 409, body: { code: "conflict", detail: "Modifiées entre-temps.", current } };
  const save = dialog.getByRole("button", { name: "Enregistrer le format" });
  await user.click(save);
  await dialog.findByText(/Modifiées entre-temps\./);
  refusal = undefined;
  await user.click(save);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent.map(({ body }) => body)).toEqual([
    { name_de: "Groß", version: "v1" },
    { name_de: "Groß", version: "v2" },
  ]);
});

test("who keeps stock writes stock alone", async () => {
  const { card, screen } = await draw({ ...RIGHTS, edit: false, prices: false });
  const small = await card("Petit · Peint");
  expect((small.getByLabelText("Stock") as HTMLInputElement).disabled).toBe(false);
  expect((small.getByLabelText("Prix propre (€)") as HTMLInputElement).disabled).toBe(true);
  expect((small.getByLabelText("Référence (SKU)") as HTMLInputElement).disabled).toBe(true);
  expect(screen.queryByRole("button", { name: "Ajouter un format" })).toBeNull();
});
