import { act } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StaffOrderSheet } from "@/api/types";
import { forgetDraft, readDraft, writeDraft } from "@/staff/shared/drafts";
import { renderStaff } from "@/testing/staff";
import { Notes } from "./notes";

const note = {
  id: 3,
  text: "Socle noir.",
  author: "Alix",
  corrects: null,
  created_at: "2026-11-20T10:00:00Z",
};
const order = { id: "o1", staff_notes: [note], may: { note: true } } as unknown as StaffOrderSheet;
let sent: unknown[];

beforeEach(() => {
  sent = [];
  localStorage.clear();
  document.body.innerHTML = '<div id="toasts"></div>';
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    sent.push(JSON.parse(String(body)));
    return Response.json(order, { status: 201 });
  });
});
afterEach(() => vi.unstubAllGlobals());

const asks = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));

it("keeps a note that was begun while another is corrected", async () => {
  const { user, screen } = await renderStaff(<Notes order={order} />);
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  await user.type(field, "Cadeau");
  await user.click(screen.getByRole("button", { name: "Corriger" }));
  expect([field.value, document.activeElement === field, asks()]).toEqual(["Socle noir.", true, false]);
  expect(screen.getByLabelText("Correction de la note")).toBe(field);
  await user.click(screen.getByRole("button", { name: "Annuler" }));
  expect([field.value, document.activeElement === field]).toEqual(["Cadeau", true]);

  await user.click(screen.getByRole("button", { name: "Corriger" }));
  await user.type(field, " Mat.");
  expect(asks()).toBe(true);
  await user.click(screen.getByRole("button", { name: "Ajouter la note" }));
  await vi.waitFor(() => expect(field.value).toBe("Cadeau"));
  await user.type(field, ".");
  await user.click(screen.getByRole("button", { name: "Ajouter la note" }));
  await vi.waitFor(() => expect(field.value).toBe(""));
  expect(sent).toEqual([
    { text: "Socle noir. Mat.", corrects: 3 },
    { text: "Cadeau.", corrects: null },
  ]);
});

it("shows in every tab the note that is typed in one of them, until it is added", async () => {
  const { user, screen } = await renderStaff(<Notes order={order} />);
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  const inOtherTab = (change: () => void) => {
    change();
    act(() => void dispatchEvent(new StorageEvent("storage", { key: "staff-draft:order-note:o1" })));
  };
  expect(readDraft("order-note:o1")).toBeUndefined();
  await user.type(field, "Cadeau");
  inOtherTab(() => writeDraft("order-note:o1", "Cadeau, sans prix"));
  await user.type(field, ".");
  expect([field.value, readDraft("order-note:o1")]).toEqual(["Cadeau, sans prix.", "Cadeau, sans prix."]);
  inOtherTab(() => forgetDraft("order-note:o1"));
  expect([field.value, readDraft("order-note:o1")]).toEqual(["", undefined]);
});
