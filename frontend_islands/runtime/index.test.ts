import { waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

const settled = () => new Promise((resolve) => setTimeout(resolve));
const cookie = (text: string) => vi.spyOn(document, "cookie", "get").mockReturnValue(text);

beforeEach(() => vi.resetModules());

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
