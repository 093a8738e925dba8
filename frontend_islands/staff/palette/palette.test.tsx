import { beforeEach, expect, it, vi } from "vitest";
import { goTo } from "@/lib/navigate";
import { hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { mount, Palette } from ".";

vi.mock("@/lib/navigate");

const found = {
  results: [
    { kind: "orders", label: "Commandes", hits: [{ title: "AB12CD34 · Léa Martin", detail: "", url: "/o" }] },
    { kind: "products", label: "Produits", hits: [{ title: "Golem de poche", detail: "", url: "/p" }] },
  ],
};

beforeEach(() => void vi.mocked(goTo).mockReset());

function answer(body: unknown) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    return Response.json(body);
  });
  return asked;
}

it("opens by its keys, finds while typing, and leads to what is chosen by keys", async () => {
  const asked = answer(found);
  const { user, screen } = await renderStaff(<Palette />);
  await user.keyboard("{Control>}k{/Control}");
  await user.type(screen.getByRole("combobox"), "le");
  expect(await screen.findByText("2 résultats")).toBeTruthy();
  expect(asked.at(-1)).toBe("/api/admin/search?q=le");
  expect(screen.getByRole("option", { selected: true }).textContent).toBe("AB12CD34 · Léa Martin");

  await user.keyboard("{ArrowDown}");
  expect(screen.getByRole("option", { selected: true }).textContent).toBe("Golem de poche");
  await user.keyboard("{Enter}");
  expect(goTo).toHaveBeenCalledExactlyOnceWith("/p");
});

it("leads nowhere while what is shown answers fewer letters", async () => {
  const held = hold();
  const other = { kind: "orders", label: "Commandes", hits: [{ title: "Léon", detail: "", url: "/leon" }] };
  vi.stubGlobal("fetch", async (address: string) => {
    if (address.endsWith("q=le")) return Response.json(found);
    await held;
    return Response.json({ results: [other] });
  });
  const { user, screen } = await renderStaff(<Palette />);
  await user.keyboard("{Control>}k{/Control}");
  await user.type(screen.getByRole("combobox"), "le");
  await screen.findByText("2 résultats");
  await user.keyboard("on{Enter}");
  expect(goTo).not.toHaveBeenCalled();
  held.arrive();
  await screen.findByText("Léon");
  await user.keyboard("{Enter}");
  expect(goTo).toHaveBeenCalledExactlyOnceWith("/leon");
});

it("asks nothing for one letter, and says when nothing is found", async () => {
  const asked = answer({ results: [] });
  const { user, screen } = await renderStaff(<Palette />);
  await user.click(screen.getByRole("button", { name: /Rechercher/ }));
  await user.type(screen.getByRole("combobox"), "z");
  expect(asked).toEqual([]);
  await user.type(screen.getByRole("combobox"), "z");
  expect(await screen.findByText(/Rien trouvé pour/)).toBeTruthy();
});

it("says that nothing was found once that is known, not because nothing was before", async () => {
  const held = hold();
  vi.stubGlobal("fetch", async (address: string) => {
    if (!address.endsWith("q=zz")) await held;
    return Response.json(address.endsWith("q=zz") ? { results: [] } : found);
  });
  const { user, screen } = await renderStaff(<Palette />);
  await user.keyboard("{Control>}k{/Control}");
  await user.type(screen.getByRole("combobox"), "zz");
  await screen.findByText(/Rien trouvé pour/);
  await user.keyboard("{Backspace}{Backspace}le");
  expect(screen.queryByText(/Rien trouvé pour/)).toBeNull();
  held.arrive();
  await screen.findByText("2 résultats");
});

it("keeps the focus that the keys gave to the link in its place", async () => {
  answer({ csrf_token: "x" });
  const host = document.body.appendChild(document.createElement("div"));
  host.innerHTML = '<div data-fallback><a href="/admin/recherche" data-replay="palette">Rechercher</a></div>';
  host.querySelector("a")?.focus();
  const unmount = await mount(host, {});
  expect(document.activeElement).toBe(host.querySelector("button.staff-search"));
  unmount();
  host.remove();
});
