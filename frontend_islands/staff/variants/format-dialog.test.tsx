import { afterEach, expect, it, vi } from "vitest";
import type { VariantFormat } from "@/api/types";
import { hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { FormatDialog } from "./format-dialog";
import { Variants } from "./variants";

const names = { name: "Grand", name_en: "", name_es: "", name_de: "" };
const on = { onSaved: async () => {}, onConflict: () => false, onClose: () => {} };

afterEach(() => vi.unstubAllGlobals());

it.each([
  ["price_adjustment", { price_adjustment: "-5.50", price_override: null }, /^Écart/, "-5,50"],
  ["price_override", { price_adjustment: "0.00", price_override: "49.90" }, /^Prix fixe \(€/, "49,90"],
])("shows %s as people write it, and sends it if it was changed", async (name, price, label, shown) => {
  const sent: Record<string, unknown>[] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    sent.push(JSON.parse(String(body)));
    return Response.json({});
  });
  const format = { id: 2, ...names, ...price } as unknown as VariantFormat;
  const { user, screen } = await renderStaff(
    <FormatDialog product={7} format={format} canPrice version="v1" {...on} />,
  );
  const field = screen.getByLabelText<HTMLInputElement>(label);
  expect(field.value).toBe(shown);
  const save = screen.getByRole("button", { name: "Enregistrer le format" });
  await user.click(save);
  await vi.waitFor(() => expect(sent).toEqual([{ version: "v1" }]));
  await user.type(field, "{Backspace}5");
  await user.click(save);
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toMatchObject({ [name]: `${shown.slice(0, -1)}5`.replace(",", ".") });
});

it("keeps what is typed while the rest is being made, and saves it to what was made", async () => {
  const held = hold();
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    if (method === "GET") return Response.json({ version: `v${sent.length}`, formats: [], rows: [] });
    sent.push([method, path, JSON.parse(String(body))]);
    await held;
    return Response.json({ id: 5, ...names, name: "Petit", price_adjustment: "0.00", price_override: null });
  });
  const rights = { edit: true, prices: true, stock: true, remove: true, history: true };
  const { user, screen } = await renderStaff(<Variants product_id={7} rights={rights} />);
  await user.click(await screen.findByRole("button", { name: "Ajouter un format" }));
  await user.type(screen.getByLabelText("Nom"), "Petit");
  await user.click(screen.getByRole("button", { name: "Enregistrer le format" }));
  await user.type(screen.getByLabelText("Nom"), " rond");
  held.arrive();
  await screen.findByRole("heading", { name: "Format «\u00a0Petit\u00a0»" });
  const save = screen.getByRole<HTMLButtonElement>("button", { name: "Enregistrer le format" });
  await vi.waitFor(() => expect(save.disabled).toBe(false));
  await user.click(save);
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent).toMatchObject([
    ["POST", "/api/admin/products/7/variations", { name: "Petit" }],
    ["PATCH", "/api/admin/products/7/variations/5", { name: "Petit rond", version: "v1" }],
  ]);
});

it.each([
  [/^Prix fixe, /, /^Prix fixe \(€/],
  [/^Ajouter ou retirer/, /^Écart/],
])("asks for the amount that was chosen and not typed: %s", async (choice, label) => {
  const fetched = vi.fn();
  vi.stubGlobal("fetch", fetched);
  const { user, screen } = await renderStaff(
    <FormatDialog product={7} format={undefined} canPrice version="v1" {...on} />,
  );
  await user.type(screen.getByLabelText("Nom"), "Grand");
  await user.click(screen.getByRole("radio", { name: choice }));
  const field = screen.getByLabelText<HTMLInputElement>(label);
  await user.click(screen.getByRole("button", { name: "Enregistrer le format" }));
  const said = "Saisissez le montant, ou choisissez le prix du produit.";
  expect(screen.getByText(said).id).toBe(field.getAttribute("aria-describedby")?.split(" ").at(-1));
  expect([screen.queryByRole("alert"), fetched.mock.calls]).toEqual([null, []]);
  await user.type(field, "70");
  expect(screen.queryByText(said)).toBeNull();
});
