import { expect, it } from "vitest";
import "./one-press";

const submit = (form: Element | null, at: number) => {
  const event = new Event("submit", { bubbles: true, cancelable: true });
  Object.defineProperty(event, "timeStamp", { value: at });
  form?.dispatchEvent(event);
  return !event.defaultPrevented;
};

it("sends a form once, until the page is shown again or five seconds have passed", () => {
  document.body.innerHTML = "<form></form><form></form>";
  const [form = null, other = null] = document.forms;
  expect([submit(form, 100), submit(form, 300), submit(form, 5099)]).toEqual([true, false, false]);
  expect([submit(form, 5100), submit(form, 5200)]).toEqual([true, false]);
  expect([submit(other, 5300), submit(form, 5400)]).toEqual([true, true]);
  dispatchEvent(new Event("pageshow"));
  expect(submit(form, 5500)).toBe(true);
});

it("counts no press that a script took for itself", () => {
  document.body.innerHTML = "<form></form>";
  const [form = null] = document.forms;
  form?.addEventListener("submit", (event) => event.preventDefault(), { once: true });
  expect([submit(form, 6000), submit(form, 6100)]).toEqual([false, true]);
});
