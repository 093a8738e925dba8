import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { mount } from "./index";

class FakeCredential {
  static parseRequestOptionsFromJSON = (options: unknown) => options;
  static parseCreationOptionsFromJSON = (options: unknown) => options;
  toJSON() {
    return { id: "abc" };
  }
}

const submitted = vi.fn();

function page(kind: string): HTMLElement {
  document.body.innerHTML = `<x-island-stub><div data-fallback>
    <form data-passkey="${kind}" data-options="/options" data-refused="Refusée" data-known="Déjà là" data-unsupported="Inconnue">
      <input type="hidden" name="csrfmiddlewaretoken" value="token">
      <input type="hidden" name="credential">
      <p data-message hidden></p>
      <button type="button" data-start hidden>Clé</button>
    </form></div></x-island-stub>`;
  const form = document.querySelector("form") as HTMLFormElement;
  form.submit = () => submitted(new FormData(form).get("credential"));
  return document.body.firstElementChild as HTMLElement;
}

function press(): HTMLButtonElement {
  const button = document.querySelector("button") as HTMLButtonElement;
  button.click();
  return button;
}

beforeEach(() => {
  submitted.mockClear();
  vi.stubGlobal("PublicKeyCredential", FakeCredential);
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => Response.json({ publicKey: { challenge: "xyz" } })),
  );
});

afterEach(() => vi.unstubAllGlobals());

it.each([
  ["use", "get"],
  ["make", "create"],
])("posts the browser's answer: %s", async (kind, method) => {
  const ask = vi.fn(async () => new FakeCredential());
  vi.stubGlobal("navigator", { credentials: { [method]: ask } });
  mount(page(kind));
  press();
  await waitFor(() => expect(submitted).toHaveBeenCalledWith('{"id":"abc"}'));
  expect(ask).toHaveBeenCalledWith({ publicKey: { challenge: "xyz" } });
  expect(fetch).toHaveBeenCalledWith("/options", { method: "POST", headers: { "X-CSRFToken": "token" } });
});

it("says what went wrong and may be tried again", async () => {
  vi.stubGlobal("navigator", { credentials: { get: () => Promise.reject(new Error("cancelled")) } });
  mount(page("use"));
  const button = press();
  const message = document.querySelector("[data-message]") as HTMLElement;
  await waitFor(() => expect(message.textContent).toBe("Refusée"));
  expect([message.hidden, button.disabled, submitted.mock.calls.length]).toEqual([false, false, 0]);
});

it("keeps the focus on its button and asks once at a time", async () => {
  const refusals: ((reason: Error) => void)[] = [];
  const get = vi.fn(() => new Promise((_done, refuse) => refusals.push(refuse)));
  vi.stubGlobal("navigator", { credentials: { get } });
  mount(page("use"));
  const button = press();
  await waitFor(() => expect(get).toHaveBeenCalledOnce());
  press();
  expect([button.disabled, button.getAttribute("aria-disabled"), vi.mocked(fetch).mock.calls.length]).toEqual(
    [false, "true", 1],
  );
  refusals[0]?.(new Error("cancelled"));
  await waitFor(() => expect(button.hasAttribute("aria-disabled")).toBe(false));
  press();
  await waitFor(() => expect(get).toHaveBeenCalledTimes(2));
});

it("says that the device has a passkey of the account already", async () => {
  const known = new DOMException("excluded", "InvalidStateError");
  vi.stubGlobal("navigator", { credentials: { create: () => Promise.reject(known) } });
  mount(page("make"));
  press();
  const message = document.querySelector("[data-message]") as HTMLElement;
  await waitFor(() => expect(message.textContent).toBe("Déjà là"));
});

it("says that the browser is too old", async () => {
  vi.stubGlobal("PublicKeyCredential", undefined);
  mount(page("use"));
  press();
  const message = document.querySelector("[data-message]") as HTMLElement;
  await waitFor(() => expect(message.textContent).toBe("Inconnue"));
  expect(fetch).not.toHaveBeenCalled();
});

it("hides the button again and refuses a page without the form", () => {
  mount(page("use"))();
  expect(document.querySelector("button")?.hidden).toBe(true);
  document.body.innerHTML = "<div><div data-fallback></div></div>";
  expect(() => mount(document.body.firstElementChild as HTMLElement)).toThrow("no form");
});
