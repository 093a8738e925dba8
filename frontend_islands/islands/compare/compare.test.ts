import { expect, it } from "vitest";
import { mount } from "./index";

function page(): HTMLElement {
  document.body.innerHTML = `<x-island-stub><div data-fallback>
    <figure class="compare"><input type="range" min="0" max="100" value="50" data-range></figure>
  </div></x-island-stub>`;
  return document.body.firstElementChild as HTMLElement;
}

it("moves the edge with the range and gives everything back", () => {
  const host = page();
  const figure = host.querySelector("figure") as HTMLElement;
  const range = host.querySelector("input") as HTMLInputElement;
  const unmount = mount(host);
  expect(range.hidden).toBe(false);
  expect(figure.style.getPropertyValue("--split")).toBe("calc(1.5rem + (100% - 3rem) * 0.5)");
  range.value = "100";
  range.dispatchEvent(new Event("input"));
  expect(figure.style.getPropertyValue("--split")).toBe("100%");
  unmount();
  expect(range.hidden).toBe(true);
  expect(figure.style.getPropertyValue("--split")).toBe("");
});

it("refuses a page without the figure", () => {
  document.body.innerHTML = "<div><div data-fallback></div></div>";
  expect(() => mount(document.body.firstElementChild as HTMLElement)).toThrow("nothing to compare");
});
