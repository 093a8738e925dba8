import { beforeEach, expect, it, vi } from "vitest";
import { toast } from "./toast";

const shown = () => [...document.querySelectorAll(".toast")];
const region = () => document.getElementById("toasts") as HTMLElement;

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML =
    '<div id="toasts" popover="manual" data-close="Fermer"><template data-notice="x">a</template></div>';
  region().showPopover = vi.fn();
  region().hidePopover = vi.fn();
});

it("says a success for six seconds", () => {
  toast({ kind: "success", title: "Produit ajouté au panier", text: "Gardien" });

  expect(region().showPopover).toHaveBeenCalledOnce();
  expect(shown()).toHaveLength(1);
  expect(shown()[0]?.getAttribute("role")).toBe("status");
  expect(shown()[0]?.textContent).toBe("Produit ajouté au panierGardien×");
  vi.advanceTimersByTime(5999);
  expect(shown()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(shown()).toEqual([]);
  expect(region().hidePopover).toHaveBeenCalledOnce();
});

it.each([
  [125, "125px"],
  [-300, "0px"],
])("stands below the header as far as that is seen: %i px", (bottom, below) => {
  const header = document.createElement("header");
  header.getBoundingClientRect = () => ({ bottom }) as DOMRect;
  document.body.append(header);
  toast({ kind: "success", title: "Ajouté aux favoris" });

  expect(region().style.getPropertyValue("--below")).toBe(below);
});

it("keeps an error until it is closed", () => {
  toast({ kind: "error", title: "Erreur" });

  vi.advanceTimersByTime(600_000);
  expect(shown()[0]?.getAttribute("role")).toBe("alert");
  const close = document.querySelector<HTMLButtonElement>(".toast__close");
  expect(close?.getAttribute("aria-label")).toBe("Fermer");
  close?.click();
  expect(shown()).toEqual([]);
});

it("shows one at a time, each for its own six seconds", () => {
  toast({ kind: "success", title: "Un" });
  vi.advanceTimersByTime(4000);
  toast({ kind: "success", title: "Deux" });

  expect(shown().map((box) => box.querySelector(".toast__title")?.textContent)).toEqual(["Deux"]);
  vi.advanceTimersByTime(4000);
  expect(shown()).toHaveLength(1);
  vi.advanceTimersByTime(2000);
  expect(shown()).toEqual([]);
});

it.each([
  ["pointed at", "pointerenter", "pointerleave"],
  ["read with the keyboard", "focusin", "focusout"],
])("stays while it is %s", (_what, enter, leave) => {
  toast({ kind: "success", title: "Un" });
  shown()[0]?.dispatchEvent(new Event(enter));
  vi.advanceTimersByTime(60_000);
  expect(shown()).toHaveLength(1);
  shown()[0]?.dispatchEvent(new Event(leave));
  vi.advanceTimersByTime(6000);
  expect(shown()).toEqual([]);
});

it("writes text, never markup", () => {
  toast({
    kind: "info",
    title: "<img src=x>",
    text: "<b>x</b>",
    link: { href: "/panier", label: "<i>Voir</i>" },
  });

  expect(shown()[0]?.querySelector("img, b, i")).toBeNull();
  expect(document.querySelector(".toast a")?.getAttribute("href")).toBe("/panier");
});

it("is silent on a page without a region", () => {
  document.body.replaceChildren();
  expect(() => toast({ kind: "info", title: "Un" })).not.toThrow();
});

it("closes once its action was taken", () => {
  const run = vi.fn();
  toast({ kind: "success", title: "Produit retiré", action: { label: "Annuler", run } });

  document.querySelector<HTMLButtonElement>(".toast__action")?.click();
  expect(run).toHaveBeenCalledOnce();
  expect(shown()).toEqual([]);
});
