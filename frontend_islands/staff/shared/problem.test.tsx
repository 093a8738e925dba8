import { beforeEach, expect, test, vi } from "vitest";
import { ApiProblem } from "@/lib/api";
import { renderStaff } from "@/testing/staff";
import { Problem, toastProblem } from "./problem";
import { queryClient } from "./staff-island";

const ENDED = new ApiProblem(401, "not_authenticated", "Connectez-vous pour continuer.");
const SIGN_IN = "/auth?next=%2Fadmin%2Fproduits%3Fpage%3D2";

beforeEach(() => {
  document.body.innerHTML = '<div id="toasts" data-close="Fermer"></div>';
  history.replaceState(null, "", "/admin/produits?page=2");
});

test("a session that ended has its sign-in beside, in another tab: what was typed stays in this one", async () => {
  const { screen } = await renderStaff(<Problem title="Rien" error={ENDED} />);
  const link = screen.getByRole<HTMLAnchorElement>("link", { name: "Se connecter dans un autre onglet" });
  expect([link.getAttribute("href"), link.target]).toEqual([SIGN_IN, "_blank"]);
  expect(screen.getByText(/^Votre session est terminée/)).toBeTruthy();
});

test("a notice of it opens the sign-in, another refusal has none", async () => {
  const open = vi.fn();
  vi.stubGlobal("open", open);
  const { user, screen } = await renderStaff(<p />);
  toastProblem("Rien n'a été enregistré", ENDED);
  await user.click(screen.getByRole("button", { name: "Se connecter dans un autre onglet" }));
  expect(open).toHaveBeenCalledExactlyOnceWith(SIGN_IN, "_blank", "noopener");
  toastProblem("Rien n'a été enregistré", new ApiProblem(403, "forbidden", "Pas d'accès."));
  expect(screen.getByText("Pas d'accès.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /connecter/ })).toBeNull();
  vi.unstubAllGlobals();
});

test("a read is made again at once where the line was cut, not where a refusal or a whole wait is to be told", () => {
  const again = queryClient().getDefaultOptions().queries?.retry as (
    failures: number,
    error: Error,
  ) => boolean;
  const cut = new ApiProblem(0, "network", "");
  const late = new ApiProblem(0, "network", "");
  late.cause = new DOMException("late", "TimeoutError");
  expect([again(0, cut), again(2, cut), again(0, late), again(0, ENDED)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
