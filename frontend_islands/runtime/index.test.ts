import { waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

const settled = () => new Promise((resolve) => setTimeout(resolve));
const cookie = (text: string) => vi.spyOn(document, "cookie", "get").mockReturnValue(text);

const load = (state: DocumentReadyState) => vi.spyOn(document, "readyState", "get").mockReturnValue(state);

const counting = vi.fn();

// Each module once: of two that stand for the same, either may be the one that is imported.
beforeEach(() => {
  vi.resetModules();
  vi.doMock("./island-element", () => ({}));
  vi.doMock("./report", () => ({ reportToServer: () => {} }));
  counting.mockClear();
  vi.doMock("./statistics", () => {
    counting();
    return {};
  });
  load("interactive");
  cookie("");
});

// First: pages of later tests go on listening.
it("fetches hearts with the first that is pressed, which is answered then", async () => {
  const fetching = vi.fn();
  vi.doMock("./favourite-button", () => {
    fetching();
    customElements.define("late-heart", class extends HTMLElement {});
    return {};
  });
  document.body.innerHTML = "<late-heart><button>♥</button></late-heart>";
  const button = document.querySelector("button") as HTMLElement;
  const pressed = vi.fn();
  button.addEventListener("click", pressed);
  await import("./index");
  await settled();
  expect(fetching).not.toHaveBeenCalled();

  button.click();
  await waitFor(() => expect(pressed).toHaveBeenCalledTimes(2));
  expect(fetching).toHaveBeenCalledOnce();
  button.click();
  expect(pressed).toHaveBeenCalledTimes(3);
});

it.each([
  ["the browser has favourites", () => localStorage.setItem("favorites", "[12]")],
  ["a member's account may have them", () => cookie("member=1")],
])("fetches hearts at once where %s", async (_, have) => {
  const fetching = vi.fn();
  vi.doMock("./favourite-button", () => {
    fetching();
    return {};
  });
  vi.doMock("./member-link", () => ({}));
  have();
  await import("./index");
  await waitFor(() => expect(fetching).toHaveBeenCalledOnce());
});

it.each(["interactive", "complete"] as const)(
  "counts the visit once the page is there: %s",
  async (state) => {
    load(state);
    await import("./index");
    if (state === "complete") await waitFor(() => expect(counting).toHaveBeenCalledOnce());
    await settled();
    expect(counting).toHaveBeenCalledTimes(state === "complete" ? 1 : 0);
    dispatchEvent(new Event("load"));
    await waitFor(() => expect(counting).toHaveBeenCalledOnce());
  },
);

it("offers another language where the page's head saw that it is wanted", async () => {
  const offerLanguage = vi.fn();
  vi.doMock("./language-offer", () => ({ offerLanguage }));
  document.documentElement.dataset.offer = "de";
  await import("./index");
  await waitFor(() => expect(offerLanguage).toHaveBeenCalledOnce());
  delete document.documentElement.dataset.offer;
});

it("fetches what counts a cart with the first thing to count", async () => {
  const fetching = vi.fn();
  vi.doMock("./cart-count", () => {
    fetching();
    return {};
  });
  await import("./index");
  await settled();
  expect(fetching).not.toHaveBeenCalled();

  document.dispatchEvent(new CustomEvent("cart:changed", { detail: { count: 1 } }));
  await waitFor(() => expect(fetching).toHaveBeenCalledOnce());
});

it("fetches at once what a member with a notice and a cart needs", async () => {
  const fetched: string[] = [];
  for (const name of ["cart-count", "favourite-button", "member-link", "notice"]) {
    vi.doMock(`./${name}`, () => {
      fetched.push(name);
      return { default: () => fetched.push("shown") };
    });
  }
  localStorage.setItem("cart", "{}");
  cookie("member=1; notice=signed_in");
  await import("./index");
  await waitFor(() =>
    expect(fetched.sort()).toEqual(["cart-count", "favourite-button", "member-link", "notice", "shown"]),
  );
});
