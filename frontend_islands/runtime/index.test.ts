import { waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

const settled = () => new Promise((resolve) => setTimeout(resolve));
const cookie = (text: string) => vi.spyOn(document, "cookie", "get").mockReturnValue(text);

beforeEach(() => vi.resetModules());

// First: pages of later tests go on listening.
it("fetches hearts with the count of visits once the page is there, and answers one that was pressed before", async () => {
  vi.doMock("./island-element", () => ({}));
  vi.doMock("./report", () => ({ reportToServer: () => {} }));
  const fetching = vi.fn();
  vi.doMock("./visit", () => {
    fetching();
    customElements.define("late-heart", class extends HTMLElement {});
    return {};
  });
  cookie("");
  document.body.innerHTML = "<late-heart><button>♥</button></late-heart>";
  const button = document.querySelector("button") as HTMLElement;
  const pressed = vi.fn();
  button.addEventListener("click", pressed);
  await import("./index");
  await settled();
  expect(fetching).not.toHaveBeenCalled();

  button.click();
  await waitFor(() => expect(pressed).toHaveBeenCalledTimes(2));
  dispatchEvent(new Event("load"));
  await settled();
  expect(fetching).toHaveBeenCalledOnce();
  button.click();
  expect(pressed).toHaveBeenCalledTimes(3);
});

it("fetches what counts a cart with the first thing to count", async () => {
  const counting = vi.fn();
  vi.doMock("./island-element", () => ({}));
  vi.doMock("./report", () => ({ reportToServer: () => {} }));
  vi.doMock("./cart-count", () => {
    counting();
    return {};
  });
  cookie("");
  await import("./index");
  await settled();
  expect(counting).not.toHaveBeenCalled();

  document.dispatchEvent(new CustomEvent("cart:changed", { detail: { count: 1 } }));
  await waitFor(() => expect(counting).toHaveBeenCalledOnce());
});

it("fetches at once what a member with a notice and a cart needs", async () => {
  const fetched: string[] = [];
  vi.doMock("./island-element", () => ({}));
  vi.doMock("./report", () => ({ reportToServer: () => {} }));
  for (const name of ["cart-count", "member-link", "notice"]) {
    vi.doMock(`./${name}`, () => {
      fetched.push(name);
      return { default: () => fetched.push("shown") };
    });
  }
  localStorage.setItem("cart", "{}");
  cookie("member=1; notice=signed_in");
  await import("./index");
  await waitFor(() => expect(fetched.sort()).toEqual(["cart-count", "member-link", "notice", "shown"]));
});
