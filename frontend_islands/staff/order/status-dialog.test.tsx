import { expect, it } from "vitest";
import type { StaffOrderProps, StaffOrderSheet } from "@/api/types";
import { renderStaff } from "@/testing/staff";
import { StatusDialog } from "./status-dialog";

const props = {
  carriers: [
    { code: "colissimo", name: "Colissimo" },
    { code: "ups", name: "UPS" },
    { code: "", name: "Autre transporteur" },
  ],
} as unknown as StaffOrderProps;

it.each([
  { shipments: [], chosen: "Colissimo" },
  { shipments: [{ carrier: "", undone_at: null }], chosen: "Autre transporteur" },
  {
    shipments: [
      { carrier: "ups", undone_at: null },
      { carrier: "", undone_at: "2026-11-20T10:00:00Z" },
    ],
    chosen: "UPS",
  },
])(
  "begins with the carrier of the last parcel that is on its way: $chosen",
  async ({ shipments, chosen }) => {
    const order = {
      ...{ id: "o1", status: "shipped", paid_at: "2026-11-20T10:00:00Z", allowed_statuses: [], may: {} },
      shipments,
    } as unknown as StaffOrderSheet;
    const { user, screen } = await renderStaff(
      <StatusDialog order={order} props={props} onShip={() => {}} onClose={() => {}} />,
    );
    await user.click(screen.getByRole("radio", { name: /Ajouter un message/ }));
    const select = screen.getByLabelText("Transporteur") as HTMLSelectElement;
    expect(select.selectedOptions[0]?.text).toBe(chosen);
  },
);
