import { act, fireEvent, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import type { StaffOrderSheet } from "@/api/types";
import { type Held, hold } from "@/testing/held";
import { props, sheet } from "@/testing/order-sheet";
import { renderStaff } from "@/testing/staff";
import { OrderScreen } from ".";

const mail = {
  to: "lea@example.com",
  language: "fr",
  subject: "Un colis est parti",
  text: "",
  html: '<body><p style="color:red">Bonjour Léa</p><script>alert(1)</script></body>',
};

type Answer = { status?: number; body: unknown };
let answers: Record<string, Answer | ((body: Record<string, unknown>) => Answer)>;
let held: Held | undefined;
let sent: { path: string; body: Record<string, unknown> }[];

beforeEach(() => {
  sent = [];
  held = undefined;
  answers = { "GET /api/admin/orders": { body: sheet }, "GET /api/me": { body: { csrf_token: "x" } } };
  document.body.innerHTML = '<div id="toasts" popover="manual"></div>';
  globalThis.CSSStyleSheet.prototype.replaceSync ??= () => undefined;
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const body = init.body ? JSON.parse(String(init.body)) : {};
    if (init.method === "POST") sent.push({ path, body });
    const key = Object.keys(answers)
      .filter((name) => `${init.method ?? "GET"} ${path}`.startsWith(name))
      .sort((one, other) => other.length - one.length)[0];
    const found = key ? answers[key] : { status: 404, body: { code: "not_found" } };
    await held;
    const answer = typeof found === "function" ? found(body) : found;
    return new Response(JSON.stringify(answer?.body), {
      status: answer?.status ?? 200,
      headers: { "Content-Type": "application/json" },
    });
  });
});

/** What the head of the sheet says, one line a fact. */
const facts = () => [...document.querySelectorAll(".order-facts > div")].map((row) => row.textContent);

it("offers to remove an order once nothing stands against it, and else says what does", async () => {
  const { screen, unmount } = await renderStaff(<OrderScreen {...props} />);
  await screen.findByText(
    "Cette commande ne peut pas encore être supprimée : elle n'est ni livrée, ni annulée, ni remboursée.",
  );
  expect(screen.queryByRole("button", { name: "Supprimer" })).toBeNull();
  unmount();
  answers["GET /api/admin/orders"] = { body: { ...sheet, removal_obstacles: [] } };
  await renderStaff(<OrderScreen {...props} />);
  expect(await screen.findByRole("button", { name: "Supprimer" })).toBeTruthy();
});

it("tells pieces of one product apart wherever it names them", async () => {
  const [painted] = sheet.lines as [StaffOrderSheet["lines"][0]];
  const raw = { ...painted, id: 8, detail: "Non peint · 30 cm", quantity: 1, sent_quantity: 1, to_send: 0 };
  const piece = { quantity: 1, number: 1, name: painted.product_name, photos: [] };
  const order = {
    ...sheet,
    lines: [painted, raw],
    pieces: [
      { ...piece, id: 1, detail: painted.detail, stage: "to_print" },
      { ...piece, id: 2, detail: raw.detail, stage: "shipped" },
    ],
    shipments: [
      { id: 1, sent_at: "2026-11-21T10:00:00Z", lines: [{ item_id: 8, quantity: 1 }], undone_at: null },
    ],
  };
  answers["GET /api/admin/orders"] = { body: order };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  expect(await screen.findByText("1 × Sorcière de minuit (Non peint · 30 cm)")).toBeTruthy();
  const names = screen.getAllByRole("button", { name: /^Photographier/ });
  expect(names.map((button) => button.getAttribute("aria-label"))).toEqual([
    "Photographier, Photos (0) : Sorcière de minuit (Peint)",
    "Photographier, Photos (0) : Sorcière de minuit (Non peint · 30 cm)",
  ]);
  expect([...document.querySelectorAll(".order-workshop strong")].map((name) => name.textContent)).toEqual([
    "Sorcière de minuit (Peint)",
    "Sorcière de minuit (Non peint · 30 cm)",
  ]);
  await user.click(screen.getByRole("button", { name: "Expédier" }));
  expect(await screen.findByRole("group", { name: "Quantité : Sorcière de minuit (Peint)" })).toBeTruthy();
});

it.each([
  ["not_authenticated", "Connectez-vous pour continuer.", "Connectez-vous pour continuer.", true],
  ["order_just_paid", "Elle vient d'être payée.", "Elle vient d'être payée.", false],
  ["unreadable", "", "Erreur inconnue", false],
])("says why an order was not deleted, and where to sign in: %s", async (code, detail, reason, isOver) => {
  const path = `/api/admin/orders/${sheet.id}`;
  answers[`GET ${path}`] = { body: { ...sheet, removal_obstacles: [] } };
  answers[`DELETE ${path}`] = { status: isOver ? 401 : 409, body: { code, detail } };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  await user.click(await screen.findByRole("button", { name: "Supprimer" }));
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Supprimer" }));
  const text = await screen.findByText(`Impossible de supprimer la commande : ${reason}`);
  const signIn = within(text.closest(".toast") as HTMLElement).queryByRole("button", {
    name: /^Se connecter/,
  });
  expect([screen.queryByRole("dialog"), signIn !== null]).toEqual([null, isOver]);
});

it("asks before it drops what was typed in a dialog, and only then", async () => {
  const asked = vi.spyOn(window, "confirm").mockReturnValueOnce(false).mockReturnValue(true);
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  const open = async () => user.click(await screen.findByRole("button", { name: "Expédier" }));
  await open();
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(asked).not.toHaveBeenCalled();

  await open();
  await user.type(screen.getByLabelText(/Numéro de suivi/), "6A1");
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect(screen.getByLabelText<HTMLInputElement>(/Numéro de suivi/).value).toBe("6A1");
  fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(asked).toHaveBeenCalledTimes(2);
});

it("sends a part of an order once its mail was seen", async () => {
  const path = `/api/admin/orders/${sheet.id}/shipments`;
  answers[`POST ${path}?preview`] = { body: { mails: [mail] } };
  answers[`POST ${path}`] = { status: 201, body: { ...sheet, flags: ["partly_sent"] } };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);

  await user.click(await screen.findByRole("button", { name: "Expédier" }));
  expect(screen.getByRole("group", { name: /^Quantité\s: Sorcière de minuit \(Peint\)$/ })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Une de moins" }));
  expect(screen.getByText(/1 pièce reste à l'atelier/)).toBeTruthy();
  await user.type(screen.getByLabelText(/Numéro de suivi/), "6A1");
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  const shown = await screen.findByLabelText(/Un colis est parti/);
  expect(document.activeElement?.textContent).toBe("L'e-mail que recevra le client");
  expect(shown.shadowRoot?.textContent).toContain("Bonjour Léa");
  expect(shown.shadowRoot?.querySelector("script")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Confirmer" }));

  await screen.findByText("En partie expédiée");
  expect(sent.map((call) => call.path)).toEqual([`${path}?preview`, path]);
  expect(sent[1]?.body).toMatchObject({
    lines: [{ item_id: 7, quantity: 1 }],
    tracking_number: "6A1",
    carrier: "colissimo",
    is_last: false,
    expected_updated_at: sheet.updated_at,
  });
});

it("proposes no piece that was refunded behind the open dialog", async () => {
  const path = `/api/admin/orders/${sheet.id}/shipments`;
  const now = { ...sheet, lines: sheet.lines.map((line) => ({ ...line, to_send: 1 })) };
  answers[`POST ${path}?preview`] = { body: { mails: [mail] } };
  answers[`POST ${path}`] = { status: 409, body: { code: "conflict", detail: "Quelqu'un…", current: now } };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  await user.click(await screen.findByRole("button", { name: "Expédier" }));
  for (const name of ["Voir l'e-mail", "Confirmer", "Voir l'e-mail"])
    await user.click(await screen.findByRole("button", { name }));
  expect(sent.map(({ body }) => (body.lines as { quantity: number }[])[0]?.quantity)).toEqual([2, 2, 1]);
});

it("carries out a step as its mail was read, though more was typed while that was on its way", async () => {
  const path = `/api/admin/orders/${sheet.id}/shipments`;
  answers[`POST ${path}?preview`] = { body: { mails: [mail] } };
  answers[`POST ${path}`] = { status: 201, body: sheet };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  await user.click(await screen.findByRole("button", { name: "Expédier" }));
  const tracking = screen.getByLabelText(/Numéro de suivi/);
  await user.type(tracking, "6A1");
  held = hold();
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  await user.type(tracking, "2");
  held.arrive();
  await user.click(await screen.findByRole("button", { name: "Confirmer" }));
  await vi.waitFor(() => expect(sent.map(({ body }) => body.tracking_number)).toEqual(["6A1", "6A1"]));
});

it("shows sums that add up, and a payment of which a part went back", async () => {
  const payment = { position: 1, due: "2026-11-20", amount: "80.00", state: "partly_refunded" };
  const body = { ...sheet, original_total: "120.00", promotion_savings: "40.00", payments: [payment] };
  answers["GET /api/admin/orders"] = { body };
  const { screen } = await renderStaff(<OrderScreen {...props} />);
  await screen.findByText(/^Paiement du 20 novembre 2026\s: 80,00\s€ \(remboursé en partie\)$/);
  expect(facts()).toContain("Payée le20 novembre 2026 à 11:01");
  const sums = [...document.querySelectorAll(".order-sums > div")].map((row) => row.textContent);
  expect(sums.map((row) => row?.replace(/\s/g, " "))).toEqual([
    "Total avant promotions120,00 €",
    "Promotions−40,00 €",
    "Sous-total80,00 €",
    "Livraison0,00 €",
    "Total80,00 €",
  ]);
});

it("says until when a bank's dispute lets an order leave later than promised", async () => {
  answers["GET /api/admin/orders"] = { body: { ...sheet, excused_until: "2026-12-16" } };
  const { screen } = await renderStaff(<OrderScreen {...props} />);
  await screen.findByText("1er décembre 2026, en retard après le 16 décembre 2026 à cause d'un litige");
});

it("says of an order in installments when the first was paid, and what becomes of each", async () => {
  const payments = [
    { position: 1, due: "2026-11-20", amount: "40.00", state: "paid" },
    { position: 2, due: "2026-12-20", amount: "40.00", state: "scheduled" },
  ];
  answers["GET /api/admin/orders"] = { body: { ...sheet, payment_mode: "installments", payments } };
  const { screen } = await renderStaff(<OrderScreen {...props} />);
  await screen.findByText(/^Échéance 1, le 20 novembre 2026\s: 40,00\s€ \(payé\)$/);
  expect(screen.getByText(/^Échéance 2, le 20 décembre 2026\s: 40,00\s€ \(programmé\)$/)).toBeTruthy();
  expect(facts()).toContain("1re échéance payée le20 novembre 2026 à 11:01");
});

it("says that the customer reads why nothing is refunded", async () => {
  const path = `/api/admin/orders/${sheet.id}/status`;
  const cancelled = { status: "cancelled", status_label: "Annulée", allowed: true, reason: "" };
  answers["GET /api/admin/orders"] = {
    body: { ...sheet, allowed_statuses: [{ ...cancelled, needs_reason: false }] },
  };
  answers[`POST ${path}?preview`] = {
    status: 409,
    body: { code: "refund_decision_needed", detail: "Faut-il rembourser ?", money: "80.00" },
  };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  await user.click(await screen.findByRole("button", { name: "Changer le statut" }));
  await user.click(screen.getByRole("radio", { name: "Annulée" }));
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  await user.click(await screen.findByRole("radio", { name: /Ne pas rembourser/ }));
  expect(screen.getByLabelText("Motif, lu par le client")).toBeTruthy();
});

it("keeps a note that was begun while the last one was on its way", async () => {
  answers[`POST /api/admin/orders/${sheet.id}/notes`] = { status: 201, body: sheet };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  const field = await screen.findByLabelText<HTMLTextAreaElement>("Nouvelle note");
  await user.type(field, "Fragile.");
  held = hold();
  const button = screen.getByRole("button", { name: "Ajouter la note" });
  await user.click(button);
  await user.type(field, " Socle noir.");
  held.arrive();
  await vi.waitFor(() => expect(button.getAttribute("aria-busy")).toBe("false"));
  expect(field.value).toBe("Fragile. Socle noir.");
  await user.click(button);
  await vi.waitFor(() => expect(field.value).toBe(""));
  expect(sent.map(({ body }) => body.text)).toEqual(["Fragile.", "Fragile. Socle noir."]);
});

it("says why a status is not offered", async () => {
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  await user.click(await screen.findByRole("button", { name: "Changer le statut" }));
  expect((screen.getByRole("radio", { name: /En attente/ }) as HTMLInputElement).disabled).toBe(true);
  expect(screen.getByText("Une commande payée ne redevient jamais « En attente ».")).toBeTruthy();
});

it("keeps what was typed when somebody else was quicker, and shows the order as it is now", async () => {
  const path = `/api/admin/orders/${sheet.id}/status`;
  const now = { ...sheet, status_label: "En préparation", updated_at: "2026-11-20T11:00:00Z" };
  answers[`POST ${path}?preview`] = { body: { mails: [] } };
  answers[`POST ${path}`] = (body) =>
    body.expected_updated_at === now.updated_at
      ? { body: now }
      : { status: 409, body: { code: "conflict", detail: "Quelqu'un…", current: now } };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);

  await user.click(await screen.findByRole("button", { name: "Changer le statut" }));
  await user.click(screen.getByRole("radio", { name: /Ajouter un message/ }));
  await user.type(screen.getByLabelText(/Message au client/), "Bientôt");
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  await user.click(await screen.findByRole("button", { name: "Confirmer" }));

  await screen.findByText("La commande a changé entre-temps");
  expect((screen.getByLabelText(/Message au client/) as HTMLTextAreaElement).value).toBe("Bientôt");
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  const confirm = await screen.findByRole("button", { name: "Confirmer" });
  expect(screen.queryByText("La commande a changé entre-temps")).toBeNull();
  await user.click(confirm);
  await vi.waitFor(() => expect(sent.at(-1)?.body.expected_updated_at).toBe(now.updated_at));
});

it("keeps keyboards where they are when a piece is back on the shelf", async () => {
  const line = { id: 5, item_id: 7, quantity: 1, amount: "40.00", restocked: false };
  const refund = { id: "r1", amount: "40.00", voided: "0.00", reason: "", progress: "succeeded", error: "" };
  const refunded = (restocked: boolean) => ({
    ...sheet,
    may: { ...sheet.may, restock: true },
    refunds: [{ ...refund, created_at: "2026-11-21T10:00:00Z", lines: [{ ...line, restocked }] }],
  });
  answers["GET /api/admin/orders"] = { body: refunded(false) };
  answers["POST /api/admin/refunds/r1/lines/5/restock"] = { body: {} };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  const restock = await screen.findByRole("button", {
    name: "Remettre 1 × Sorcière de minuit (Peint) en stock",
  });
  answers["GET /api/admin/orders"] = { body: refunded(true) };
  await user.click(restock);
  await screen.findByText("Pièces remises en stock");
  await vi.waitFor(() => expect(restock.isConnected).toBe(false));
  expect(document.activeElement?.textContent).toBe("Rembourser");
});

it("takes the refusal of a line of the address away once that is typed anew", async () => {
  answers[`POST /api/admin/orders/${sheet.id}/address?preview`] = {
    status: 400,
    body: { code: "invalid", detail: "À corriger.", errors: { postalCode: ["Inconnu."], city: ["Vide."] } },
  };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  await user.click(await screen.findByRole("button", { name: "Corriger l'adresse" }));
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  await screen.findByText("Inconnu.");
  const code = screen.getByLabelText(/^Code postal/);
  expect([document.activeElement === code, code.getAttribute("aria-invalid")]).toEqual([true, "true"]);
  await user.type(code, "1");
  expect([screen.queryByText("Inconnu."), code.getAttribute("aria-invalid")]).toEqual([null, "false"]);
  expect(screen.getByText("Vide.")).toBeTruthy();
});

it("overwrites no address that somebody corrected behind the open dialog", async () => {
  const path = `/api/admin/orders/${sheet.id}/address`;
  const theirs = { ...sheet.shipping_address, address: "5 rue des Carmes" };
  const now = { ...sheet, shipping_address: theirs, updated_at: "2026-11-20T11:00:00Z" };
  answers[`POST ${path}?preview`] = { body: { mails: [] } };
  answers[`POST ${path}`] = { status: 409, body: { code: "conflict", detail: "Quelqu'un…", current: now } };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);
  await user.click(await screen.findByRole("button", { name: "Corriger l'adresse" }));
  await user.type(screen.getByLabelText("Téléphone"), "0612");
  answers["GET /api/admin/orders"] = { body: now };
  act(() => void dispatchEvent(new Event("visibilitychange")));
  await screen.findByText("5 rue des Carmes");

  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  await user.click(await screen.findByRole("button", { name: "Confirmer" }));
  await screen.findByText("La commande a changé entre-temps");
  expect(sent.at(-1)?.body).toMatchObject({
    address: "3 rue des Carmes",
    expected_updated_at: sheet.updated_at,
  });
});

it("decides a refund once its consequences were seen, and follows it to its end", async () => {
  const path = `/api/admin/orders/${sheet.id}/refund`;
  // One of the two has left.
  const lines = sheet.lines.map((line) => ({ ...line, sent_quantity: 1, to_send: 1 }));
  answers["GET /api/admin/orders"] = { body: { ...sheet, lines } };
  const refund = {
    id: "r1",
    amount: "40.00",
    status: "pending",
    refunds: [{ provider_id: "re_1", amount: "30.00", error: "" }],
  };
  answers[`POST ${path}/preview`] = {
    body: {
      amount: "40.00",
      money: "30.00",
      voided: "10.00",
      shipping: "0.00",
      left: "80.00",
      complete: false,
      asks_confirmation: false,
      lines: [{ item_id: 7, quantity: 1, amount: "40.00", worth: "40.00", restock: true }],
    },
  };
  answers[`POST ${path}`] = { status: 202, body: { success: true, refund } };
  answers["GET /api/admin/refunds/r1"] = {
    body: { success: true, refund: { ...refund, status: "succeeded" } },
  };
  const { user, screen } = await renderStaff(<OrderScreen {...props} />);

  await user.click(await screen.findByRole("button", { name: "Rembourser" }));
  // What nobody typed is written in the customer's language, by the server.
  const reason = screen.getByLabelText(/Motif, lu par le client/) as HTMLInputElement;
  expect([reason.value, reason.placeholder]).toEqual(["", "Demande de remboursement"]);
  const more = screen.getByRole("button", { name: "Une de plus" });
  for (let press = 0; press < 3; press++) await user.click(more);
  // At the end of its way it keeps the focus.
  expect([document.activeElement, more.getAttribute("aria-disabled")]).toEqual([more, "true"]);
  await user.click(screen.getByRole("button", { name: "Une de moins" }));
  await user.click(screen.getByLabelText("Déjà chez le client, ou en route"));
  await user.click(screen.getByLabelText("Remettre en stock"));
  await user.click(screen.getByRole("button", { name: "Voir ce que cela fait" }));
  await screen.findByText(/1 × Sorcière de minuit \(Peint\) : en stock à nouveau/);
  expect(screen.getByText(/^1 pièce\s: 40,00\s€$/)).toBeTruthy();
  // Ten of it were never collected.
  await user.click(screen.getByRole("button", { name: /^Rembourser 30,00\s€$/ }));

  await vi.waitFor(() =>
    expect(document.getElementById("toasts")?.textContent).toMatch(/^Remboursement de 30,00\s€ effectué/),
  );
  expect(document.getElementById("toasts")?.textContent).toContain("re_1");
  expect(sent.at(-1)?.body).toEqual({
    lines: [{ item_id: 7, quantity: 1, restock: true, was_sent: true }],
    reason: "",
    expected_left: "80.00",
  });
});
