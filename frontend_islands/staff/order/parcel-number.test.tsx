import { fireEvent, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { SheetShipment, StaffOrderSheet } from "@/api/types";
import { props, sheet } from "@/testing/order-sheet";
import { renderStaff } from "@/testing/staff";
import { OrderScreen } from ".";

const parcel = {
  ...{ id: 1, sent_at: "2026-11-20T09:00:00Z", undone_at: null, undo_reason: "", parcel_url: "" },
  ...{ carrier: "colissimo", carrier_label: "Colissimo", tracking_number: "6A1" },
  lines: [{ item_id: 7, quantity: 1 }],
} as unknown as SheetShipment;
const mail = { to: "lea@example.com", language: "fr", subject: "Le numéro", text: "", html: "<body></body>" };

afterEach(() => vi.unstubAllGlobals());

async function draw(order: Partial<StaffOrderSheet>, carriers = props.carriers) {
  const sent: { path: string; body: unknown }[] = [];
  document.body.innerHTML = '<div id="toasts" popover="manual"></div>';
  globalThis.CSSStyleSheet.prototype.replaceSync ??= () => undefined;
  const read = { ...sheet, may: { ...sheet.may, note: true }, ...order };
  vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    if (method === "POST") sent.push({ path, body: JSON.parse(String(body)) });
    return Response.json(path.endsWith("?preview") ? { mails: [mail] } : read);
  });
  const drawn = await renderStaff(<OrderScreen {...props} carriers={carriers} />);
  await drawn.screen.findByRole("heading", { name: "Colis" });
  return { ...drawn, sent };
}

it("corrects the number of a parcel from the parcel, whatever else has left", async () => {
  const last = { ...parcel, id: 2, tracking_number: "6A2" };
  const { user, screen, sent } = await draw({ status: "shipped", shipments: [parcel, last] });
  const [first] = screen.getAllByRole("button", { name: "Corriger le numéro" });
  await user.click(first as HTMLElement);
  const dialog = within(screen.getByRole("dialog", { name: "Corriger le numéro" }));
  const field = dialog.getByLabelText<HTMLInputElement>(/^Numéro de suivi/);
  const look = dialog.getByRole<HTMLButtonElement>("button", { name: "Voir l'e-mail" });
  expect([field.value, look.disabled]).toEqual(["6A1", true]);
  await user.type(field, "7");
  await user.click(look);
  await user.click(await screen.findByRole("button", { name: "Confirmer" }));
  const number = { tracking_number: "6A17", carrier: "colissimo", shipment_id: 1 };
  const body = { status: "shipped", message: "", ...number };
  await vi.waitFor(() =>
    expect(sent).toEqual([
      { path: `/api/admin/orders/${sheet.id}/status?preview`, body },
      {
        path: `/api/admin/orders/${sheet.id}/status`,
        body: { ...body, expected_updated_at: sheet.updated_at },
      },
    ]),
  );
});

it("takes the number of a parcel back", async () => {
  const { user, screen, sent } = await draw({ status: "shipped", shipments: [parcel] });
  await user.click(screen.getByRole("button", { name: "Corriger le numéro" }));
  const dialog = within(screen.getByRole("dialog", { name: "Corriger le numéro" }));
  expect(dialog.getAllByRole("status").map(({ textContent }) => textContent)).toContain("");
  await user.clear(dialog.getByLabelText(/^Numéro de suivi/));
  dialog.getByText("Ce colis n'aura plus de numéro de suivi.");
  await user.click(dialog.getByRole("button", { name: "Voir l'e-mail" }));
  const body = { status: "shipped", message: "", tracking_number: "", carrier: "colissimo", shipment_id: 1 };
  await vi.waitFor(() =>
    expect(sent).toEqual([{ path: `/api/admin/orders/${sheet.id}/status?preview`, body }]),
  );
});

it("begins with the carrier of the parcel", async () => {
  const carriers = [...props.carriers, { code: "", name: "Autre transporteur" }];
  const shipments = [{ ...parcel, carrier: "" }];
  const { user, screen } = await draw({ status: "shipped", shipments }, carriers);
  await user.click(screen.getByRole("button", { name: "Corriger le numéro" }));
  const chosen = screen.getByLabelText<HTMLSelectElement>("Transporteur").selectedOptions[0];
  expect(chosen?.text).toBe("Autre transporteur");
});

it.each([
  [{ status: "processing", shipments: [{ ...parcel, tracking_number: "" }] }, ["Ajouter un numéro"]],
  [{ status: "delivered", shipments: [parcel] }, []],
  [{ status: "shipped", shipments: [{ ...parcel, undone_at: "2026-11-20T10:00:00Z" }] }, []],
  [{ status: "shipped", shipments: [parcel], may: { ...sheet.may, note: false } }, []],
] as const)("offers the number of a parcel that is on its way: %j", async (order, expected) => {
  const { screen } = await draw(order as unknown as Partial<StaffOrderSheet>);
  const offered = screen.queryAllByRole("button", { name: /numéro$/ });
  expect(offered.map(({ textContent }) => textContent)).toEqual(expected);
});

it("marks a day of sending that is refused, and puts the cursor there until it is another", async () => {
  const { user, screen } = await draw({ shipments: [parcel] });
  const why = "L'expédition ne peut être ni à venir ni avant le paiement.";
  const refusal = { code: "invalid_date", detail: why, errors: { sent_on: [why] } };
  vi.stubGlobal("fetch", async () => Response.json(refusal, { status: 400 }));
  await user.click(screen.getByRole("button", { name: "Expédier" }));
  const dialog = within(screen.getByRole("dialog", { name: "Expédier" }));
  await user.click(dialog.getByRole("button", { name: "Voir l'e-mail" }));
  const field = await dialog.findByLabelText<HTMLInputElement>(/^Parti le.*ni à venir ni avant le paiement/);
  const isMarked = () => field.getAttribute("aria-invalid");
  expect([document.activeElement === field, isMarked()]).toEqual([true, "true"]);
  fireEvent.change(field, { target: { value: "2026-11-21" } });
  expect([isMarked(), dialog.queryByLabelText(/ni à venir/)]).toEqual(["false", null]);
});

it("says beside a piece how many of it were withdrawn from and stay here", async () => {
  const [line] = sheet.lines;
  const lines = [{ ...line, to_send: 1, withdrawn_quantity: 1 }] as StaffOrderSheet["lines"];
  const { screen } = await draw({ lines, shipments: [parcel] });
  expect(screen.getByText(/^rétractées/).textContent).toBe("rétractées, à ne pas expédier\u00a0: 1");
});
