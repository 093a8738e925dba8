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
    <StatusDialog order={order} onShip={() => {}} onClose={() => {}} />,
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

it("hands what was typed to the dialog that sends, which asks before it drops it", async () => {
  const shipped = { status: "shipped", status_label: "Expédiée", allowed: true, reason: "" };
  const ready = {
    ...{ ...order, paid_at: "2026-11-20T10:00:00Z", lines: [], may: { cancel: true, ship: true } },
    allowed_statuses: [shipped],
  } as unknown as StaffOrderSheet;
  const ship = vi.fn();
  const first = await renderStaff(<StatusDialog order={ready} onShip={ship} onClose={() => {}} />);
  await first.user.type(first.screen.getByLabelText(/^Message au client/), "Bonne fête !");
  await first.user.click(first.screen.getByRole("radio", { name: "Ajouter un message" }));
  await first.user.click(first.screen.getByRole("radio", { name: "Expédiée" }));
  expect(ship).toHaveBeenCalledExactlyOnceWith("Bonne fête !");
  first.unmount();

  const close = vi.fn();
  const ask = vi.spyOn(window, "confirm").mockReturnValue(false);
  const { user, screen } = await renderStaff(
    <ParcelDialog order={ready} props={props} begun="Bonne fête !" onClose={close} />,
  );
  expect(screen.getByLabelText<HTMLTextAreaElement>(/^Message au client/).value).toBe("Bonne fête !");
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect([ask.mock.calls.length, close.mock.calls.length]).toEqual([1, 0]);
});
