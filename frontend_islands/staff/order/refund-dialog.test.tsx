import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StaffOrderSheet } from "@/api/types";
import { type Held, hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { RefundDialog } from "./refund-dialog";

const order = { id: "o1", refundable: "80.00", lines: [] } as unknown as StaffOrderSheet;
const proposal = {
  amount: "20.00",
  money: "20.00",
  voided: "0.00",
  shipping: "0.00",
  left: "60.00",
  complete: false,
  asks_confirmation: false,
  lines: [],
};
let keys: (string | undefined)[];
let bodies: unknown[];
let held: Held | undefined;
let refusal: object | undefined;
let wrong: object | undefined;
let left: string;
let sums: object;

beforeEach(() => {
  keys = [];
  bodies = [];
  held = undefined;
  refusal = undefined;
  wrong = undefined;
  left = "60.00";
  sums = {};
  vi.stubGlobal("fetch", async (path: string, { headers, body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    await held;
    if (path.endsWith("/preview") && wrong) return Response.json(wrong, { status: 400 });
    if (path.endsWith("/preview")) return Response.json({ ...proposal, left, ...sums });
    if (!path.endsWith("/refund")) return Response.json(order);
    keys.push((headers as Record<string, string>)["Idempotency-Key"]);
    bodies.push(JSON.parse(String(body)));
    if (refusal) return Response.json(refusal, { status: "confirm_url" in refusal ? 403 : 409 });
    throw new TypeError("The answer was lost.");
  });
});
afterEach(() => vi.unstubAllGlobals());

it("asks for the same refund under the same key after an answer that was lost, for another under its own", async () => {
  const { user, screen } = await renderStaff(<RefundDialog order={order} onClose={() => {}} />);
  await user.click(screen.getByLabelText("Un montant"));
  const refund = async () => {
    await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
    await user.click(await screen.findByRole("button", { name: /^Rembourser 20,00\s€$/ }));
    await screen.findByRole("alert");
    await user.click(screen.getByRole("button", { name: "Retour" }));
  };
  await user.type(screen.getByLabelText(/^Montant/), "20");
  await refund();
  await refund();
  await user.type(screen.getByLabelText(/^Montant/), ",5");
  await refund();
  expect(keys).toHaveLength(3);
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(2);
});

it("gives back what was shown, though more was typed while that was on its way", async () => {
  held = hold();
  const { user, screen } = await renderStaff(<RefundDialog order={order} onClose={() => {}} />);
  await user.click(screen.getByLabelText("Un montant"));
  await user.type(screen.getByLabelText(/^Montant/), "20");
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  await user.type(screen.getByLabelText(/^Montant/), "0");
  held.arrive();
  await user.click(await screen.findByRole("button", { name: /^Rembourser 20,00\s€$/ }));
  await screen.findByRole("alert");
  expect(bodies).toEqual([{ amount: "20", reason: "", expected_left: "60.00" }]);
});

it("puts the cursor in an amount that is refused", async () => {
  wrong = {
    code: "invalid",
    detail: "À corriger.",
    errors: { amount: ["Saisissez un montant en chiffres."] },
  };
  const { user, screen } = await renderStaff(<RefundDialog order={order} onClose={() => {}} />);
  await user.click(screen.getByLabelText("Un montant"));
  const field = screen.getByLabelText(/^Montant/);
  await user.type(field, "dix");
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  await screen.findByText("Saisissez un montant en chiffres.");
  expect([document.activeElement === field, field.getAttribute("aria-invalid")]).toEqual([true, "true"]);
});

it("takes no amount that was typed for another choice", async () => {
  const line = {
    id: 1,
    product_name: "Golem",
    quantity: 1,
    returned_quantity: 0,
    sent_quantity: 0,
    to_send: 1,
  };
  const one = { ...order, lines: [line] } as unknown as StaffOrderSheet;
  const { user, screen } = await renderStaff(<RefundDialog order={one} onClose={() => {}} />);
  await user.click(screen.getByLabelText("Un montant"));
  await user.type(screen.getByLabelText(/^Montant/), "5");
  await user.click(screen.getByLabelText("Des pièces"));
  expect(screen.getByLabelText<HTMLInputElement>(/^Moins que leur valeur/).value).toBe("");
  await user.click(screen.getByRole("button", { name: "Une de plus" }));
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  await user.click(await screen.findByRole("button", { name: /^Rembourser 20,00\s€$/ }));
  await screen.findByRole("alert");
  expect(bodies).toEqual([
    {
      lines: [{ item_id: 1, quantity: 1, restock: false, was_sent: false }],
      reason: "",
      expected_left: "60.00",
    },
  ]);
});

it("asks who it is in another tab: what is typed stays, and goes out from here", async () => {
  refusal = {
    code: "reauthentication_required",
    detail: "Confirmez d'abord que c'est bien vous.",
    confirm_url: "/espace-membre/confirmer",
  };
  const { user, screen } = await renderStaff(<RefundDialog order={order} onClose={() => {}} />);
  await user.click(screen.getByLabelText("Un montant"));
  await user.type(screen.getByLabelText(/^Montant/), "20");
  await user.type(screen.getByLabelText(/^Motif/), "Socle fendu");
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  await user.click(await screen.findByRole("button", { name: /^Rembourser 20,00\s€$/ }));
  const link = await screen.findByRole<HTMLAnchorElement>("link", {
    name: "Confirmer mon identité dans un autre onglet, puis recommencer ici",
  });
  expect([link.target, link.pathname]).toEqual(["_blank", "/espace-membre/confirmer"]);
  await user.click(screen.getByRole("button", { name: /^Rembourser 20,00\s€$/ }));
  await vi.waitFor(() => expect(bodies).toHaveLength(2));
  expect(bodies[1]).toEqual({ amount: "20", reason: "Socle fendu", expected_left: "60.00" });
});

it("shows a refund anew, of what is left now, once somebody else has decided another", async () => {
  const { user, screen } = await renderStaff(<RefundDialog order={order} onClose={() => {}} />);
  await user.click(screen.getByLabelText("Un montant"));
  await user.type(screen.getByLabelText(/^Montant/), "20");
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  refusal = { code: "refund_changed", detail: "Il reste 40 €. Vérifiez, puis confirmez à nouveau." };
  const confirm = await screen.findByRole("button", { name: /^Rembourser/ });
  left = "40.00";
  await user.click(confirm);
  await screen.findByText(/Vérifiez, puis confirmez à nouveau/);
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  await user.click(await screen.findByRole("button", { name: /^Rembourser/ }));
  expect(bodies.map((body) => (body as { expected_left: string }).expected_left)).toEqual(["60.00", "40.00"]);
});

it("says of a refund that moves no money what it takes off the installments, which go on", async () => {
  sums = { money: "0.00", voided: "20.00" };
  const { user, screen } = await renderStaff(<RefundDialog order={order} onClose={() => {}} />);
  await user.click(screen.getByLabelText("Un montant"));
  await user.type(screen.getByLabelText(/^Montant/), "20");
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  await screen.findByRole("button", { name: /^Retirer 20,00\s€ des échéances$/ });
});
