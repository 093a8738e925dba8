import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { barriers } from "@/testing/accessibility";
import { renderStaff } from "@/testing/staff";
import { ProductImport } from "./product-import";

let sent: Record<string, unknown>[];
let refused: number;

beforeEach(() => {
  sent = [];
  refused = 0;
  document.body.innerHTML = '<div id="toasts" data-close="Fermer"></div>';
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "token" });
    sent.push(JSON.parse(String(body)));
    const price = { field: "price", label: "prix de base (€)", before: "40.00", after: "35.00" };
    const lines = [
      { line: 2, action: "change", product_id: 1, name: "Ours", changes: [price], errors: [] },
      { line: 3, action: "nothing", product_id: 2, name: "Lynx", changes: [], errors: [] },
      ...(refused
        ? [{ line: 4, action: "refused", product_id: null, name: "", changes: [], errors: ["nom : vide."] }]
        : []),
    ];
    return Response.json({ added: 0, changed: 1, unchanged: 1, refused, preview_key: "key", lines });
  });
});
afterEach(() => vi.unstubAllGlobals());

/** A file of these bytes, which jsdom's files can't be read as. */
function fileOf(...bytes: number[]) {
  const written = new Uint8Array(bytes);
  return Object.assign(new File([written], "produits.csv", { type: "text/csv" }), {
    arrayBuffer: async () => written.buffer,
  });
}

/** "nom" and "é", as Windows wrote it. */
const OLD = fileOf(0x6e, 0x6f, 0x6d, 0x0a, 0xe9);

it("shows every line of the file, then imports it", async () => {
  const { user, screen, container } = await renderStaff(<ProductImport most_lines={1000} />);
  await user.upload(screen.getByLabelText("Fichier CSV"), OLD);
  expect(await screen.findByText("0 produit(s) à ajouter, 1 à modifier, 1 sans changement.")).toBeTruthy();
  expect(screen.getByText("35.00")).toBeTruthy();
  expect(screen.queryByText("Lynx")).toBeNull();
  await user.click(screen.getByLabelText("Montrer aussi les lignes sans changement"));
  expect(screen.getByText("Lynx")).toBeTruthy();
  expect(await barriers(container)).toEqual([]);
  await user.dblClick(screen.getByRole("button", { name: "Importer 1 produit(s)" }));
  await screen.findByText("0 produit(s) ajouté(s), 1 modifié(s) avec succès");
  await waitFor(() => expect(sent).toHaveLength(3));
  expect(sent.slice(0, 2)).toEqual([
    { csv: "nom\né", dry_run: true },
    { csv: "nom\né", preview_key: "key" },
  ]);
});

it("reads the Unicode text of a spreadsheet, in either order of its bytes", async () => {
  const { user, screen } = await renderStaff(<ProductImport most_lines={1000} />);
  await user.upload(screen.getByLabelText("Fichier CSV"), fileOf(0xff, 0xfe, 0x6e, 0, 0x0a, 0, 0xe9, 0));
  await waitFor(() => expect(sent).toHaveLength(1));
  await user.upload(screen.getByLabelText("Fichier CSV"), fileOf(0xfe, 0xff, 0, 0x6e, 0, 0x0a, 0, 0xe9));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent.map(({ csv }) => csv)).toEqual(["n\né", "n\né"]);
});

it("says that a file is empty, and asks the shop nothing", async () => {
  const { user, screen } = await renderStaff(<ProductImport most_lines={1000} />);
  await user.upload(screen.getByLabelText("Fichier CSV"), fileOf());
  expect((await screen.findByRole("alert")).textContent).toBe("Ce fichier est vide.");
  expect(sent).toEqual([]);
});

it("says of a workbook how it becomes a file that can be read, and asks the shop nothing", async () => {
  const { user, screen } = await renderStaff(<ProductImport most_lines={1000} />);
  const xlsx = fileOf(0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x06, 0x00);
  await user.upload(screen.getByLabelText("Fichier CSV"), xlsx);
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Ce fichier ne se lit pas. Enregistrez-le en CSV depuis votre tableur.",
  );
  expect(sent).toEqual([]);
});

it("imports nothing while a line is wrong", async () => {
  refused = 1;
  const { user, screen } = await renderStaff(<ProductImport most_lines={1000} />);
  await user.upload(screen.getByLabelText("Fichier CSV"), OLD);
  expect(await screen.findByText("1 ligne(s) à corriger : rien ne sera importé avant.")).toBeTruthy();
  expect(screen.getByText("nom : vide.")).toBeTruthy();
  // Corrected and saved under its name, it is chosen again.
  await user.upload(screen.getByLabelText("Fichier CSV"), OLD);
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(screen.getByRole("button", { name: "Importer 1 produit(s)" })).toHaveProperty("disabled", true);
});

it("leaves open what became of an import without an answer", async () => {
  const { user, screen } = await renderStaff(<ProductImport most_lines={1000} />);
  await user.upload(screen.getByLabelText("Fichier CSV"), OLD);
  const apply = await screen.findByRole("button", { name: "Importer 1 produit(s)" });
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
  await user.click(apply);
  expect(await screen.findByText("Import non confirmé : vérifiez à nouveau avant d'importer")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Vérifier à nouveau" })).toBeTruthy();
});
