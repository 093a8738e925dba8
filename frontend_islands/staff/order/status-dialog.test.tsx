import { afterEach, expect, it, vi } from "vitest";
import type { StaffOrderProps, StaffOrderSheet } from "@/api/types";
import { renderStaff } from "@/testing/staff";
import { ParcelDialog } from "./parcel-dialog";
import { StatusDialog } from "./status-dialog";

const props = {
  carriers: [
    { code: "colissimo", name: "Colissimo" },
    { code: "ups", name: "UPS" },
    { code: "", name: "Autre transporteur" },
  ],
} as unknown as StaffOrderProps;

const order = {
  id: "o1",
  status: "confirmed",
  updated_at: "2026-11-20T10:00:00Z",
  shipments: [],
  may: { cancel: true },
  allowed_statuses: [{ status: "cancelled", status_label: "Annulée", allowed: true, reason: "" }],
} as unknown as StaffOrderSheet;

afterEach(() => vi.unstubAllGlobals());

it("asks again what becomes of the money once the order is another by then", async () => {
  const sent: unknown[] = [];
  let money = "80.00";
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    const asked = JSON.parse(String(body));
    sent.push([path.split("/").at(-1), asked.refund]);
    if (!path.endsWith("?preview")) {
      money = "50.00";
      const current = { ...order, updated_at: "2026-11-20T10:05:00Z" };
      return Response.json({ code: "conflict", detail: "", current }, { status: 409 });
    }
    if (asked.refund !== undefined) return Response.json({ mails: [] });
    const detail = `Faut-il rembourser ${money} ?`;
    return Response.json({ code: "refund_decision_needed", detail, money }, { status: 409 });
  });
  const { user, screen } = await renderStaff(
    <StatusDialog order={order} props={props} onShip={() => {}} onClose={() => {}} />,
  );
  const look = async () => user.click(await screen.findByRole("button", { name: "Voir l'e-mail" }));
  await user.click(screen.getByRole("radio", { name: "Annulée" }));
  await look();
  await user.click(await screen.findByRole("radio", { name: /80,00/ }));
  await look();
  await user.click(await screen.findByRole("button", { name: "Confirmer" }));
  await screen.findByRole("alert");
  expect(screen.queryByText("Faut-il rembourser 80.00 ?")).toBeNull();
  await look();
  expect(await screen.findByRole("radio", { name: /50,00/ })).toHaveProperty("checked", false);
  expect(sent).toEqual([
    ["status?preview", undefined],
    ["status?preview", true],
    ["status", true],
    ["status?preview", undefined],
  ]);
});

it.each([
  { shipments: [], chosen: "Colissimo", hint: null },
  {
    shipments: [{ carrier: "", undone_at: null, sent_at: "2026-11-20T10:00:00Z" }],
    chosen: "Autre transporteur",
    hint: "Celui du dernier colis, parti le 20 novembre 2026 à 11:00.",
  },
  {
    shipments: [
      { carrier: "ups", undone_at: null, sent_at: "2026-11-20T09:00:00Z" },
      { carrier: "", undone_at: "2026-11-20T10:00:00Z", sent_at: "2026-11-20T09:30:00Z" },
    ],
    chosen: "UPS",
    hint: "Celui du dernier colis, parti le 20 novembre 2026 à 10:00.",
  },
])(
  "begins with the carrier of the last parcel that is on its way, and says so: $chosen",
  async ({ shipments, chosen, hint }) => {
    const sent = { ...order, paid_at: "2026-11-20T10:00:00Z", shipments } as unknown;
    const { user, screen } = await renderStaff(
      <StatusDialog order={sent as StaffOrderSheet} props={props} onShip={() => {}} onClose={() => {}} />,
    );
    await user.click(screen.getByRole("radio", { name: /Ajouter un message/ }));
    const select = screen.getByLabelText("Transporteur") as HTMLSelectElement;
    expect(select.selectedOptions[0]?.text).toBe(chosen);
    expect(screen.queryByText(/^Celui du/)?.textContent ?? null).toBe(hint);
  },
);

it("corrects the number of an earlier parcel", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    sent.push(JSON.parse(String(body)));
    return Response.json({ mails: [] });
  });
  const parcel = { sent_at: "2026-11-20T09:00:00Z", undone_at: null, tracking_number: "6A1", carrier: "ups" };
  const two = {
    ...{ ...order, paid_at: "2026-11-20T08:00:00Z" },
    lines: [{ id: 7, product_name: "Golem", detail: "Peint" }],
    shipments: [
      { ...parcel, id: 1, lines: [{ item_id: 7, quantity: 2 }] },
      { ...parcel, id: 2, lines: [{ item_id: 7, quantity: 1 }], tracking_number: "6A2", carrier: "" },
    ],
  } as unknown as StaffOrderSheet;
  const { user, screen } = await renderStaff(
    <StatusDialog order={two} props={props} onShip={() => {}} onClose={() => {}} />,
  );
  await user.click(screen.getByRole("radio", { name: /Ajouter un message/ }));
  expect(screen.getByRole("radio", { name: /6A2/ })).toHaveProperty("checked", true);
  await user.click(screen.getByRole("radio", { name: /6A1.*2 × Golem \(Peint\)/ }));
  expect(screen.getByLabelText<HTMLSelectElement>("Transporteur").selectedOptions[0]?.text).toBe("UPS");
  await user.type(screen.getByLabelText(/^Numéro de suivi/), "6A3");
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    status: "confirmed",
    tracking_number: "6A3",
    carrier: "ups",
    shipment_id: 1,
  });
});

it("hands what was typed to the dialog that sends, which asks before it drops it", async () => {
  const shipped = { status: "shipped", status_label: "Expédiée", allowed: true, reason: "" };
  const ready = {
    ...{ ...order, paid_at: "2026-11-20T10:00:00Z", lines: [], may: { cancel: true, ship: true } },
    allowed_statuses: [shipped],
  } as unknown as StaffOrderSheet;
  const ship = vi.fn();
  const first = await renderStaff(
    <StatusDialog order={ready} props={props} onShip={ship} onClose={() => {}} />,
  );
  await first.user.type(first.screen.getByLabelText(/^Message au client/), "Bonne fête !");
  await first.user.click(first.screen.getByRole("radio", { name: /Ajouter un message/ }));
  await first.user.type(first.screen.getByLabelText(/^Numéro de suivi/), "6A1");
  await first.user.click(first.screen.getByRole("radio", { name: "Expédiée" }));
  const begun = { message: "Bonne fête !", tracking: "6A1" };
  expect(ship).toHaveBeenCalledExactlyOnceWith(begun);
  first.unmount();

  const close = vi.fn();
  const ask = vi.spyOn(window, "confirm").mockReturnValue(false);
  const { user, screen } = await renderStaff(
    <ParcelDialog order={ready} props={props} begun={begun} onClose={close} />,
  );
  expect(screen.getByLabelText<HTMLTextAreaElement>(/^Message au client/).value).toBe("Bonne fête !");
  expect(screen.getByLabelText<HTMLInputElement>(/^Numéro de suivi/).value).toBe("6A1");
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect([ask.mock.calls.length, close.mock.calls.length]).toEqual([1, 0]);
});
