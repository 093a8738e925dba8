import { afterEach, expect, it, vi } from "vitest";
import { renderStaff } from "@/testing/staff";
import { Preview } from "./preview";

afterEach(() => vi.unstubAllGlobals());

it("says beside the text that the session is over, with the way to sign in", async () => {
  vi.stubGlobal("fetch", async (path: string) =>
    path === "/api/me"
      ? Response.json({ csrf_token: "x" })
      : Response.json({ code: "not_authenticated", detail: "" }, { status: 401 }),
  );
  const { screen } = await renderStaff(<Preview text="De l'eau." language="fr" />);
  const link = await screen.findByRole<HTMLAnchorElement>("link", {
    name: "Se connecter dans un autre onglet",
  });
  expect([link.target, link.parentElement?.textContent]).toEqual([
    "_blank",
    expect.stringMatching(/^Votre session est terminée\./),
  ]);
});
