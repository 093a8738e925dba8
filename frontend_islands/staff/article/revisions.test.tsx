import { afterEach, expect, it, vi } from "vitest";
import type { AdminArticle } from "@/api/types";
import { renderStaff } from "@/testing/staff";
import { Revisions } from "./revisions";

const article = { id: 4, updated_at: "2026-11-20T10:00:00Z" } as AdminArticle;
const revision = (number: number) => ({
  number,
  created_at: "2026-11-20T10:00:00Z",
  author: "Alix",
  changed: ["title"],
});

afterEach(() => vi.unstubAllGlobals());

it("reads the versions, and what differs between two, again after an error", async () => {
  let isLost = true;
  vi.stubGlobal("fetch", async (path: string) => {
    if (isLost) throw new TypeError("Failed to fetch");
    if (path.endsWith("/revisions")) return Response.json([revision(2), revision(1)]);
    return Response.json([{ field: "title", lines: [{ kind: "added", text: "Poncer" }] }]);
  });
  const { user, screen } = await renderStaff(
    <Revisions article={article} isDisabled={false} onRestored={() => {}} />,
  );
  const retry = async () => {
    isLost = false;
    await user.click(await screen.findByRole("button", { name: "Réessayer" }));
  };
  await user.click(screen.getByText("Versions"));
  await retry();
  isLost = true;
  await user.click(await screen.findByRole("button", { name: "Comparer 1" }));
  await retry();
  expect((await screen.findByText("Poncer")).tagName).toBe("INS");
  expect(screen.queryByRole("alert")).toBeNull();
});
