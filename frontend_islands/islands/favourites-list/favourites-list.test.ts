import { beforeEach, expect, it, vi } from "vitest";
import { emit } from "@/lib/events";
import { mount } from "./index";

const network = vi.fn(
  async (_address: URL, _init: RequestInit) =>
    new Response("<p>1 favori</p>", {
      headers: { "Content-Type": "text/html; charset=utf-8" },
    }),
);

function page(): HTMLElement {
  document.body.innerHTML = "<div><div data-fallback><div data-favourites>Chargement</div></div></div>";
  return document.body.firstElementChild as HTMLElement;
}

const limits: number[] = [];

beforeEach(() => {
  network.mockClear();
  limits.length = 0;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((limit) => {
    limits.push(limit);
    return new AbortController().signal;
  });
  vi.stubGlobal("fetch", network);
});

it("leaves a page that names its pieces as it is", async () => {
  history.replaceState(null, "", "/favoris?ids=2");
  const host = page();
  await mount(host);
  expect(host.textContent).toBe("Chargement");
  expect(network).not.toHaveBeenCalled();
});

it("has the server draw what the browser keeps", async () => {
  localStorage.setItem("favorites", "[7,3]");
  history.replaceState(null, "", "/de/favoriten");
  const host = page();
  (await mount(host))();
  const [address, init] = network.mock.calls[0] ?? [];
  expect(address?.pathname + (address?.search ?? "")).toBe("/de/favoriten?ids=7%2C3");
  expect(init?.headers).toMatchObject({ "X-Fragment": "favourites" });
  expect(host.textContent).toBe("1 favori");
});

it("fails where the shop does not answer, for the page to say so", async () => {
  history.replaceState(null, "", "/favoris");
  const host = page();
  network.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  await expect(mount(host)).rejects.toThrow("Failed to fetch");
  // A shop that stays silent is given up, too.
  expect(limits).toEqual([30_000]);
});

it("counts anew what is left when a heart is taken off, and put back", async () => {
  localStorage.setItem("favorites", "[7,3]");
  history.replaceState(null, "", "/favoris");
  const answer = (text: string) => async () =>
    new Response(text, { headers: { "Content-Type": "text/html; charset=utf-8" } });
  network
    .mockImplementationOnce(answer('<p data-part="favourites-count">2 favoris</p><ul><li>Golem</li></ul>'))
    .mockImplementationOnce(answer('<p data-part="favourites-count">1 favori</p>'))
    .mockImplementationOnce(answer('<h2>Aucun</h2><p data-part="favourites-count" hidden></p>'));
  const host = page();
  const leave = await mount(host);
  expect(host.textContent).toBe("2 favorisGolem");
  emit("favourites:changed", { ids: [9, 3] });
  // The piece stays where it is.
  await vi.waitFor(() => expect(host.textContent).toBe("1 favoriGolem"));
  expect(network.mock.lastCall?.[0].search).toBe("?ids=3");
  emit("favourites:changed", { ids: [] });
  await vi.waitFor(() => expect(host.textContent).toBe("Golem"));
  leave();
  emit("favourites:changed", { ids: [7] });
  expect(network).toHaveBeenCalledTimes(3);
});

it("refuses a page without a place for them", async () => {
  document.body.innerHTML = "<div><div data-fallback></div></div>";
  await expect(mount(document.body.firstElementChild as HTMLElement)).rejects.toThrow("no place");
});
