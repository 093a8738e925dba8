import { beforeEach, expect, it, vi } from "vitest";
import { offerEditing } from "./edit-in-place";

beforeEach(() => {
  document.body.innerHTML =
    '<main><div class="product"><header data-product="12"><h1>Golem</h1></header></div></main><div id="toasts"></div>';
});

const head = () => document.querySelector<HTMLElement>("[data-product]") as HTMLElement;

it("offers editing once, below the name", () => {
  offerEditing(head());
  offerEditing(head());
  expect(head().textContent).toBe("GolemModifier le produit");
});

it("says so when the form can't be fetched, and leaves the page as it is", async () => {
  vi.stubGlobal("fetch", async () => new Response("", { status: 503 }));
  offerEditing(head());
  head().querySelector("button")?.click();
  await vi.waitUntil(() => document.querySelector(".toast--error"), { timeout: 20_000 });
  expect(document.querySelector<HTMLElement>(".product")?.hidden).toBe(false);
});
