import { onlineManager } from "@tanstack/react-query";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { BoardCard, PieceStage } from "@/api/types";
import { forgetMe } from "@/lib/me";
import { renderStaff } from "@/testing/staff";
import { Board, mount } from ".";
import { step } from "./stages";

const card = (changes: Partial<BoardCard> = {}): BoardCard => ({
  id: 7,
  stage: "to_print",
  version: 1,
  number: 1,
  quantity: 2,
  name: "Golem",
  detail: "Peint · 18 cm",
  finish: "painted",
  picture: "",
  order_id: "0e7f",
  reference: "AB12CD34",
  promised_by: "2026-12-01",
  is_late: false,
  staff_notes: 1,
  photos: 0,
  is_withdrawn: false,
  is_disputed: false,
  has_notes: false,
  ...changes,
});

let calls: [string, boolean | undefined][];
let moves: object[];
let answerMove: () => Response;
let cards: BoardCard[];

beforeEach(() => {
  document.body.innerHTML = '<div id="toasts"></div>';
  calls = [];
  moves = [];
  cards = [card()];
  forgetMe();
  vi.stubGlobal("fetch", async (address: string, options: RequestInit = {}) => {
    calls.push([address, options.keepalive]);
    if (address.startsWith("/api/me")) return Response.json({ csrf_token: "x" });
    if (options.method === "POST") {
      moves.push({ address, ...JSON.parse(String(options.body)) });
      return answerMove();
    }
    return Response.json({
      is_whole: true,
      cards,
      gone: [],
      more: {},
      since: "2026-11-23T10:00:00Z",
    });
  });
});
afterEach(() => vi.unstubAllGlobals());

it("shows a move at once, sends the version that was seen, and takes it back by its notice", async () => {
  answerMove = () => Response.json(card({ stage: "to_prepare", version: 2 }));
  const { user, screen } = await renderStaff(<Board may_move />);
  await user.click(await screen.findByRole("button", { name: "Étape suivante\u00a0: À préparer, Golem" }));
  expect(moves).toEqual([{ address: "/api/admin/pieces/7/move", stage: "to_prepare", version: 1 }]);
  expect(await screen.findByText("Golem : À préparer")).toBeTruthy();
  expect(screen.getByRole("region", { name: "À préparer" }).textContent).toContain("AB12CD34");

  answerMove = () => Response.json(card({ version: 3 }));
  await user.click(screen.getByRole("button", { name: "Annuler" }));
  expect(moves[1]).toMatchObject({ stage: "to_print", version: 2 });
  // Its button went with the notice.
  const shown = screen.getByRole("button", { name: /^À imprimer/, pressed: true });
  await waitFor(() => expect(document.activeElement).toBe(shown));
});

it("sends a move at once, in a call that goes on when the page is left", async () => {
  answerMove = () => Response.json(card({ stage: "to_prepare", version: 2 }));
  const host = document.body.appendChild(document.createElement("div"));
  const leave = await mount(host, { may_move: true });
  const next = await screen.findByRole("button", { name: "Étape suivante\u00a0: À préparer, Golem" });
  await waitFor(() => expect(calls.map(([address]) => address)).toContain("/api/me"));
  calls = [];
  await userEvent.click(next);
  expect(calls[0]).toEqual(["/api/admin/pieces/7/move", true]);
  leave?.();
});

it("moves one piece by a double click, and says which are withdrawn or disputed", async () => {
  cards = [card({ is_disputed: true }), card({ id: 8, name: "Fée", is_withdrawn: true })];
  answerMove = () => Response.json(card({ stage: "to_prepare", version: 2 }));
  const { user, screen } = await renderStaff(<Board may_move />);
  const next = await screen.findByRole("button", { name: "Étape suivante\u00a0: À préparer, Golem" });
  expect(screen.getAllByText("Rétractation").map((flag) => flag.closest("li")?.dataset.card)).toEqual(["8"]);
  expect(screen.getAllByText("Litige").map((flag) => flag.closest("li")?.dataset.card)).toEqual(["7"]);
  await user.click(next);
  // As browsers count: the pointer has not moved, another card has.
  fireEvent.click(screen.getByRole("button", { name: /À préparer, Fée/ }), { detail: 2 });
  expect(moves.map((move) => (move as { address: string }).address)).toEqual(["/api/admin/pieces/7/move"]);
});

it("says that it could not be read offline, and is read once the network is back", async () => {
  const answer = fetch;
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
  await renderStaff(<Board may_move />);
  expect((await screen.findByRole("alert", {}, { timeout: 3_000 })).textContent).toContain(
    "La boutique ne répond pas",
  );
  vi.stubGlobal("fetch", answer);
  onlineManager.setOnline(true);
  expect((await screen.findByRole("region", { name: "À imprimer" })).textContent).toContain("Golem");
});

it("takes a move back that is made offline, and says so", async () => {
  answerMove = () => {
    throw new TypeError("offline");
  };
  const { user, screen } = await renderStaff(<Board may_move />);
  const next = await screen.findByRole("button", { name: "Étape suivante\u00a0: À préparer, Golem" });
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
  await user.click(next);
  expect((await screen.findByRole("alert")).textContent).toContain("La boutique ne répond pas");
  expect(screen.getByRole("region", { name: "À imprimer" }).textContent).toContain("Golem");
});

it("tells a conflict and shows where the piece is", async () => {
  answerMove = () =>
    Response.json(
      {
        code: "conflict",
        detail: "Quelqu'un a déplacé cette pièce entre-temps.",
        current: card({ stage: "to_pack", version: 4 }),
      },
      { status: 409, headers: { "Content-Type": "application/problem+json" } },
    );
  const { user, screen } = await renderStaff(<Board may_move />);
  const next = await screen.findByRole("button", { name: "Étape suivante\u00a0: À préparer, Golem" });
  next.focus();
  await user.keyboard("{ArrowRight}");
  expect(await screen.findByText("Quelqu'un a déplacé cette pièce entre-temps.")).toBeTruthy();
  expect(screen.getByRole("region", { name: "À emballer" }).textContent).toContain("Golem");
});

it.each<[PieceStage, string, PieceStage | undefined, PieceStage | undefined]>([
  ["to_print", "painted", "to_prepare", undefined],
  ["to_prepare", "unpainted", "to_photograph", "to_print"],
  ["to_photograph", "unpainted", "to_pack", "to_prepare"],
  ["to_pack", "painted", undefined, "to_photograph"],
  ["shipped", "painted", undefined, undefined],
])("from %s, %s: on to %s, back to %s", (stage, finish, on, back) => {
  expect([step(card({ stage, finish }), 1), step(card({ stage, finish }), -1)]).toEqual([on, back]);
});

it("says that the customer wrote to the workshop", async () => {
  cards = [card({ has_notes: true }), card({ id: 8, staff_notes: 0 })];
  const { screen } = await renderStaff(<Board may_move />);
  await screen.findByText("Note du client");
  const flags = [...document.querySelectorAll(".board-card")].map((drawn) =>
    [...drawn.querySelectorAll(".order-flag")].map(({ textContent }) => textContent),
  );
  expect(flags).toEqual([["Note du client", "1 note"], []]);
});
