import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { sheet } from "@/testing/order-sheet";
import { History } from "./history";

const event = (name: string, change: { before: string; after: string } | null) => ({
  ...{ name, change, actor: "chef@example.com", created_at: "2026-11-20T09:00:00Z", details: {} },
});

it("says from what to what an address, a day or a number was changed", () => {
  const events = [
    event("delivery.day_set", { before: "", after: "2 décembre 2026" }),
    event("order.status_added_to", { before: "6A1", after: "6A2" }),
    // A message that was added is told by the tracking.
    event("order.status_added_to", null),
  ];
  const { container } = render(<History order={{ ...sheet, tracking: [], events }} />);
  const lines = [...container.querySelectorAll("li")].map((line) =>
    [...line.querySelectorAll("p:not(.timeline__when)")].map((text) => text.textContent),
  );
  expect(lines).toEqual([
    ["Date de livraison corrigée", "Avant\u00a0: rien", "Désormais\u00a0: 2 décembre 2026"],
    ["Numéro de suivi corrigé", "Avant\u00a0: 6A1", "Désormais\u00a0: 6A2"],
  ]);
});
