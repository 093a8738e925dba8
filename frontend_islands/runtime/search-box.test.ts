import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { enhanceSearchBox } from "./search-box";

const goTo = vi.hoisted(() => vi.fn());
vi.mock("@/lib/navigate", () => ({ goTo }));

const product = (id: number) => ({
  id,
  name: `Dragon ${id}`,
  url: `/produit/${id}-dragon`,
  category: "Bustes",
  price_from: "40.00",
  image: null,
});
const found = {
  products: [product(2), product(1)],
  links: [{ name: "Bustes", url: "/produits?category=bust" }],
  corrected: "",
  count: 2,
  capped: false,
  summary: "2 figurines",
  url: "/produits?search=dragon",
};

let input: HTMLInputElement;

beforeEach(() => {
  vi.useFakeTimers();
  goTo.mockClear();
  document.documentElement.lang = "fr";
  document.body.innerHTML = `<div id="live"></div><form action="/produits"><label for="q">Rechercher</label>
    <input id="q" name="search" data-suggestions="Voir tous les résultats"></form>`;
  input = document.getElementById("q") as HTMLInputElement;
  enhanceSearchBox(input);
  input.focus();
});

afterEach(() => vi.useRealTimers());

const list = () => document.querySelector<HTMLElement>("[role=listbox]") as HTMLElement;
const press = (key: string) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  input.dispatchEvent(event);
  return event;
};

async function type(text: string, answer: Response = Response.json(found)) {
  const network = vi.fn(async () => answer);
  vi.stubGlobal("fetch", network);
  input.value = text;
  input.dispatchEvent(new Event("input"));
  await vi.advanceTimersByTimeAsync(200);
  return network;
}

it("shows what is found and announces how much", async () => {
  const network = await type("dragon");
  expect(network).toHaveBeenCalledWith("/api/search/suggestions?q=dragon", expect.anything());
  expect(input.getAttribute("aria-controls")).toBe(list().id);
  expect(input.ariaExpanded).toBe("true");
  expect([...list().querySelectorAll("a")].map((a) => a.getAttribute("href"))).toEqual([
    "/produit/2-dragon",
    "/produit/1-dragon",
    "/produits?category=bust",
    "/produits?search=dragon",
  ]);
  expect(document.getElementById("live")?.textContent).toBe("2 figurines");
});

it("is led by the arrows, opened by Enter and closed by Escape", async () => {
  await type("dragon");
  press("ArrowDown");
  expect(input.getAttribute("aria-activedescendant")).toBe(list().children[0]?.id);
  press("ArrowUp");
  expect(input.hasAttribute("aria-activedescendant")).toBe(false);
  press("ArrowUp");
  expect(list().children[3]?.ariaSelected).toBe("true");
  press("ArrowDown");
  press("ArrowDown");
  expect(press("Enter").defaultPrevented).toBe(true);
  expect(goTo.mock.calls[0]?.[0].pathname).toBe("/produit/2-dragon");
  press("Escape");
  expect(list().hidden).toBe(true);
  expect(input.ariaExpanded).toBe("false");
  // With nothing chosen the form searches by itself.
  expect(press("Enter").defaultPrevented).toBe(false);
});

it("searches for what is typed on after an arrow, not what was chosen for fewer letters", async () => {
  await type("dra");
  press("ArrowDown");
  input.value = "dragon vert";
  input.dispatchEvent(new Event("input"));

  expect(input.hasAttribute("aria-activedescendant")).toBe(false);
  expect(list().children[0]?.ariaSelected).toBe("false");
  expect(press("Enter").defaultPrevented).toBe(false);
  expect(goTo).not.toHaveBeenCalled();
});

it("asks for nothing below two letters and stays quiet when the shop does not answer", async () => {
  expect(await type("d")).not.toHaveBeenCalled();
  await type("dragon", new Response("", { status: 503 }));
  expect(list().hidden).toBe(true);
});
