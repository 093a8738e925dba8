import { act, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readDraft, writeDraft } from "@/staff/shared/drafts";
import { hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { DispatchScreen } from ".";
import { readNumbers } from "./numbers";

const order = (id: string, reference: string) => ({
  id,
  reference,
  customer_name: "Léa Martin",
  place: "Lyon · FR",
  to: "lea@example.com",
  promised_by: "2026-12-01",
  is_late: false,
  pieces: ["2 × Golem"],
  notes: "",
  warning: "",
});
const mail = {
  to: "lea@example.com",
  language: "fr",
  subject: "Votre commande est partie",
  text: "Numéro 6A1",
  html: "",
};

let ready: object[];
let isSignedOut: boolean;
let sent: { address: string; body: { orders: object[] } }[];

beforeEach(() => {
  localStorage.clear();
  document.body.innerHTML = '<div id="toasts"></div>';
  sent = [];
  isSignedOut = false;
  ready = [order("1", "AAAA1111"), order("2", "BBBB2222")];
  vi.stubGlobal("fetch", async (address: string, options: RequestInit = {}) => {
    if (address.startsWith("/api/me")) return Response.json({ csrf_token: "x" });
    if (address.includes("reference=") && isSignedOut)
      return Response.json({ code: "not_authenticated", detail: "" }, { status: 401 });
    if (options.method !== "POST") {
      const results = address.includes("reference=") ? [] : ready;
      return Response.json({ results });
    }
    sent.push({ address, body: JSON.parse(String(options.body)) });
    const isPreview = address.endsWith("?preview");
    return Response.json({
      results: [
        {
          id: "1",
          outcome: "shipped",
          code: "",
          detail: "",
          mails: isPreview ? [mail] : [],
          same_number: isPreview ? ["ZZZZ9999"] : [],
          updated_at: isPreview ? "2026-11-30T08:00:00Z" : null,
        },
        {
          id: "2",
          outcome: "refused",
          code: "x",
          detail: "Un litige est ouvert.",
          mails: [],
          same_number: [],
        },
      ],
    });
  });
});
afterEach(() => vi.unstubAllGlobals());

it("takes scans and numbers, shows the mails first, and keeps what was typed of a refused order", async () => {
  const { user, screen } = await renderStaff(
    <DispatchScreen carriers={[{ code: "colissimo", name: "Colissimo" }]} />,
  );
  await user.type(await screen.findByLabelText(/Scanner ou taper/), "aaaa1111{Enter}");
  await user.type(screen.getByLabelText("Numéro de suivi de AAAA1111"), "6A1");
  await user.type(screen.getByLabelText("Numéro de suivi de BBBB2222"), "6A2");
  await user.click(screen.getByRole("button", { name: "Relire avant d'expédier" }));
  expect(await screen.findByText(/AAAA1111 : lea@example.com/)).toBeTruthy();
  expect(screen.getByText("BBBB2222 ne partira pas : Un litige est ouvert.")).toBeTruthy();
  expect(
    screen.getByText("AAAA1111 a le même numéro de suivi que ZZZZ9999 : est-ce bien un seul colis ?"),
  ).toBeTruthy();
  expect(sent[0]?.address).toBe("/api/admin/dispatch?preview");

  await user.click(screen.getByRole("button", { name: "Expédier 1 commande" }));
  expect(await screen.findByText("AAAA1111 : expédiée.")).toBeTruthy();
  expect(sent[1]?.body.orders).toEqual([
    {
      ...{ id: "1", carrier: "colissimo", tracking_number: "6A1" },
      expected_updated_at: "2026-11-30T08:00:00Z",
    },
    { id: "2", carrier: "colissimo", tracking_number: "6A2" },
  ]);
  expect(screen.getByLabelText<HTMLInputElement>("Numéro de suivi de BBBB2222").value).toBe("6A2");
  expect(screen.getByText("Un litige est ouvert.").getAttribute("role")).toBe("alert");
  expect(document.querySelector("#toasts .toast")?.textContent).toContain(
    "1 commande expédiée1 n'est pas partie : elle reste cochée, avec sa raison.",
  );
});

it("sends what was read again alone, though another chosen order is ready since", async () => {
  const [first, second] = ready;
  const chosen = { carrier: "colissimo", chosen: ["1", "2"], numbers: { 2: "6A2" } };
  writeDraft("dispatch", chosen);
  ready = [first as object];
  const { user, screen } = await renderStaff(
    <DispatchScreen carriers={[{ code: "colissimo", name: "Colissimo" }]} />,
  );
  await user.click(await screen.findByRole("button", { name: "Relire avant d'expédier" }));
  const ship = await screen.findByRole("button", { name: "Expédier 1 commande" });
  ready = [second as object];
  act(() => void dispatchEvent(new Event("visibilitychange")));
  await screen.findByLabelText("Numéro de suivi de BBBB2222");
  await user.click(ship);
  await screen.findByText("AAAA1111 : expédiée.");
  expect(sent[1]?.body.orders).toEqual([
    { id: "1", carrier: "colissimo", tracking_number: "", expected_updated_at: "2026-11-30T08:00:00Z" },
  ]);
});

it("keeps the numbers that are typed into two tabs", async () => {
  const { user, screen } = await renderStaff(<DispatchScreen carriers={[]} />);
  const first = await screen.findByLabelText<HTMLInputElement>("Numéro de suivi de AAAA1111");
  await user.type(first, "6A1");
  const theirs = { carrier: "", chosen: ["1", "2"], numbers: { 1: "6A1", 2: "6A2" } };
  writeDraft("dispatch", theirs);
  const kept = vi.spyOn(Storage.prototype, "setItem");
  act(() => void dispatchEvent(new StorageEvent("storage", { key: "staff-draft:dispatch" })));
  expect(screen.getByLabelText<HTMLInputElement>("Numéro de suivi de BBBB2222").value).toBe("6A2");
  // Or two tabs would write to each other without end.
  expect(kept).not.toHaveBeenCalled();
  await user.type(first, "X");
  expect(readDraft("dispatch")).toEqual({ ...theirs, numbers: { 1: "6A1X", 2: "6A2" } });
});

it("says when a scanned order is not ready, and keeps the reference", async () => {
  const { user, screen } = await renderStaff(<DispatchScreen carriers={[]} />);
  const field = await screen.findByLabelText<HTMLInputElement>(/Scanner ou taper/);
  await user.type(field, "CCCC3333{Enter}");
  expect(await screen.findByText(/CCCC3333 n'est pas prête à partir/)).toBeTruthy();
  expect(field.value).toBe("CCCC3333");
});

it("keeps a second number of an order and an unknown one in the pasted text", async () => {
  const { user, screen } = await renderStaff(
    <DispatchScreen carriers={[{ code: "colissimo", name: "Colissimo" }]} />,
  );
  await user.click(await screen.findByText("Coller le fichier du transporteur", { selector: "summary" }));
  const pasted = screen.getByRole<HTMLTextAreaElement>("textbox", { name: /Coller le fichier/ });
  await user.click(pasted);
  await user.paste("AAAA1111;6A1\nAAAA1111;6A2\nBBBB2222\t3,60E+12\nCCCC3333;6A3");
  await user.click(screen.getByRole("button", { name: "Reprendre ces numéros" }));
  const numberOf = (reference: string) =>
    screen.getByLabelText<HTMLInputElement>(`Numéro de suivi de ${reference}`).value;
  expect([numberOf("AAAA1111"), numberOf("BBBB2222")]).toEqual(["6A1", "3,60E+12"]);
  expect(pasted.value).toBe("AAAA1111;6A2\nCCCC3333;6A3");
  expect(screen.getByText(/laissées ci-dessus : AAAA1111, CCCC3333/)).toBeTruthy();
  expect(screen.getByText("2 numéros repris.")).toBeTruthy();
});

it("reads a carrier's file with commas, semicolons, tabs and quotes", () => {
  const read = readNumbers('aaaa1111;6A1\r\n"bbbb2222","6A2"\n\n#zzzz3333\t6A3\nréférence');
  expect(read.map(({ reference, number }) => [reference, number])).toEqual([
    ["AAAA1111", "6A1"],
    ["BBBB2222", "6A2"],
    ["ZZZZ3333", "6A3"],
    ["RÉFÉRENCE", ""],
  ]);
});

it("offers to sign in where a scan finds the session over, and keeps the reference", async () => {
  isSignedOut = true;
  const { user, screen } = await renderStaff(
    <DispatchScreen carriers={[{ code: "colissimo", name: "Colissimo" }]} />,
  );
  const scan = await screen.findByLabelText<HTMLInputElement>(/Scanner ou taper/);
  await user.type(scan, "cccc3333{Enter}");
  const link = await screen.findByRole<HTMLAnchorElement>("link", {
    name: "Se connecter dans un autre onglet",
  });
  expect([link.target, scan.value]).toEqual(["_blank", "cccc3333"]);
});

it("keeps the reference that is typed while the one before is looked for, which stands in the list once", async () => {
  const { user, screen } = await renderStaff(
    <DispatchScreen carriers={[{ code: "colissimo", name: "Colissimo" }]} />,
  );
  const scan = await screen.findByLabelText<HTMLInputElement>(/Scanner ou taper/);
  const fetched = fetch;
  const held = hold();
  vi.stubGlobal("fetch", async (address: string, options?: RequestInit) => {
    if (!address.includes("reference=")) return fetched(address, options);
    await held;
    return Response.json({ results: [order("3", "CCCC3333")] });
  });
  await user.type(scan, "CCCC3333{Enter}{Enter}");
  await user.clear(scan);
  await user.type(scan, "DDDD4444");
  held.arrive();
  expect(await screen.findAllByLabelText("Numéro de suivi de CCCC3333")).toHaveLength(1);
  expect(scan.value).toBe("DDDD4444");
});

it("reads again once, by a button that keeps the focus for when its dialog closes", async () => {
  writeDraft("dispatch", { carrier: "colissimo", chosen: ["1"], numbers: {} });
  const { user, screen } = await renderStaff(
    <DispatchScreen carriers={[{ code: "colissimo", name: "Colissimo" }]} />,
  );
  const review = await screen.findByRole<HTMLButtonElement>("button", { name: "Relire avant d'expédier" });
  const fetched = fetch;
  const held = hold();
  vi.stubGlobal("fetch", async (address: string, options?: RequestInit) => {
    if (address.endsWith("?preview")) await held;
    return fetched(address, options);
  });
  await user.click(review);
  await waitFor(() => expect(review.getAttribute("aria-busy")).toBe("true"));
  expect([review.disabled, document.activeElement === review]).toEqual([false, true]);
  await user.click(review);
  held.arrive();
  await screen.findByRole("dialog", { name: "Ce qui va partir" });
  expect(sent).toHaveLength(1);
});

it("shows what the customer wrote to the workshop to who packs", async () => {
  ready = [{ ...order("1", "AAAA1111"), notes: "3e étage" }, order("2", "BBBB2222")];
  const { screen } = await renderStaff(<DispatchScreen carriers={[]} />);
  expect((await screen.findAllByText(/^Note du client/)).map(({ textContent }) => textContent)).toEqual([
    "Note du client\u00a0: 3e étage",
  ]);
});

it("marks the orders that are not to be sent, and ticks them one by one alone", async () => {
  ready = [{ ...order("1", "AAAA1111"), warning: "Ne pas expédier" }, order("2", "BBBB2222")];
  const { user, screen } = await renderStaff(<DispatchScreen carriers={[]} />);
  const mark = await screen.findByText("Ne pas expédier");
  expect(mark.className).toBe("order-error");
  expect(mark.closest("li")?.textContent).toContain("AAAA1111");
  const [all, first, second] = screen.getAllByRole("checkbox") as HTMLInputElement[];
  const ticked = () => [all?.checked, first?.checked, second?.checked];
  await user.click(all as HTMLInputElement);
  expect(ticked()).toEqual([true, false, true]);
  await user.click(first as HTMLInputElement);
  expect(ticked()).toEqual([true, true, true]);
  await user.click(all as HTMLInputElement);
  expect(ticked()).toEqual([false, false, false]);
});
