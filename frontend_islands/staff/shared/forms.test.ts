import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { watchForms } from "./forms";

const navigation = new EventTarget();

beforeAll(() => {
  vi.stubGlobal("navigation", navigation);
  watchForms();
});

beforeEach(() => {
  document.body.innerHTML = `<form data-staff-form data-busy="Envoi en cours..."><input name="a"><button>Envoyer</button></form>`;
  document.addEventListener("submit", (event) => event.preventDefault(), { once: true });
});

function leave(): Event {
  const event = new Event("beforeunload", { cancelable: true });
  dispatchEvent(event);
  return event;
}

function submit(): SubmitEvent {
  const form = document.querySelector("form") as HTMLFormElement;
  const event = new SubmitEvent("submit", {
    bubbles: true,
    cancelable: true,
    submitter: form.querySelector("button"),
  });
  form.dispatchEvent(event);
  return event;
}

test("leaving asks while words are unsaved, not after they were sent", () => {
  expect(leave().defaultPrevented).toBe(false);
  document.querySelector("input")?.dispatchEvent(new Event("input", { bubbles: true }));
  expect(leave().defaultPrevented).toBe(true);
  submit();
  expect(leave().defaultPrevented).toBe(false);
});

test("the button says that it works and a second press is none", () => {
  submit();
  expect(document.querySelector("button")?.textContent).toBe("Envoi en cours...");
  expect(submit().defaultPrevented).toBe(true);
});

test("a form whose sending was stopped can be sent again, and leaving asks", () => {
  document.querySelector("input")?.dispatchEvent(new Event("input", { bubbles: true }));
  submit();
  navigation.dispatchEvent(new Event("navigateerror"));
  expect(document.querySelector("button")?.textContent).toBe("Envoyer");
  expect(leave().defaultPrevented).toBe(true);
  expect(submit().defaultPrevented).toBe(false);
});

test("a page that one comes back to has its button again", () => {
  submit();
  submit();
  dispatchEvent(new Event("pageshow"));
  expect(document.querySelector("button")?.textContent).toBe("Envoyer");
  expect(document.querySelector("form")?.dataset.sent).toBeUndefined();
});

test("leaving asks at once where the page shows words that were sent and not saved", () => {
  document.querySelector("form")?.setAttribute("data-unsaved", "");
  watchForms();
  expect(leave().defaultPrevented).toBe(true);
});
