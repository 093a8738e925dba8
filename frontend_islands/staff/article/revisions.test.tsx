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
    <Revisions article={article} isDisabled={false} onChanged={() => {}} />,
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

it("goes on with what somebody else saved before a version could be restored", async () => {
  const current = { ...article, updated_at: "2026-11-20T11:00:00Z" };
  vi.stubGlobal("fetch", async (path: string) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    if (path.endsWith("/revisions")) return Response.json([revision(2), revision(1)]);
    return Response.json({ code: "conflict", detail: "Modifié entre-temps.", current }, { status: 409 });
  });
  document.body.innerHTML = '<div id="toasts" popover="manual"></div>';
  const onChanged = vi.fn();
  const { user, screen } = await renderStaff(
    <Revisions article={article} isDisabled={false} onChanged={onChanged} />,
  );
  await user.click(screen.getByText("Versions"));
  await user.click(await screen.findByRole("button", { name: "Reprendre 1" }));
  await user.click(screen.getByRole("button", { name: "Reprendre" }));
  expect(await screen.findByText("Modifié entre-temps.")).toBeTruthy();
  expect(onChanged).toHaveBeenCalledExactlyOnceWith(current);
});
