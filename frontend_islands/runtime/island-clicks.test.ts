import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { declare, place, settled, startIslands } from "@/testing/island-element";
import { islands } from "@/testing/islands";

beforeAll(() => import("./island-element"));
beforeEach(startIslands);

it("keeps the first click for the island", async () => {
  const answered = vi.fn();
  const serverSubmit = vi.fn((event: Event) => event.preventDefault());
  const { arrive } = declare("stamp", (host) => {
    host.querySelector("[data-fallback]")?.remove();
    const own = host.appendChild(document.createElement("button"));
    own.dataset.replay = "add";
    own.addEventListener("click", answered);
    return () => {};
  });
  const host = place(
    'name="stamp" on="interaction"',
    '<form><button data-replay="add">Ajouter</button></form>',
  );
  host.querySelector("form")?.addEventListener("submit", serverSubmit);

  const event = new MouseEvent("click", { bubbles: true, cancelable: true });
  host.querySelector("button")?.dispatchEvent(event);
  host.querySelector("button")?.click();
  expect(event.defaultPrevented).toBe(true);
  arrive();
  await settled();

  expect(answered).toHaveBeenCalledOnce();
  expect(serverSubmit).not.toHaveBeenCalled();
});

it.each([
  { what: "replaced", button: 0, answers: 1 },
  { what: "replaced, pressed by another button", button: 1, answers: 0 },
  { what: "still there", button: 0, answers: 0 },
])("answers a press that is not over once the control is $what", async ({ what, button, answers }) => {
  const answered = vi.fn();
  const { arrive } = declare("stamp", (host) => {
    if (what !== "still there") host.innerHTML = '<button data-replay="add">Ajouter</button>';
    host.querySelector("button")?.addEventListener("click", answered);
    return () => {};
  });
  const host = place('name="stamp"', '<button data-replay="add">Ajouter</button>');
  if (what === "still there") {
    const control = host.querySelector("button") as HTMLElement;
    vi.spyOn(control, "matches").mockImplementation((selectors) => selectors === ":active");
  }
  const press = new MouseEvent("mousedown", { bubbles: true, cancelable: true, button });
  host.querySelector("button")?.dispatchEvent(press);
  arrive();
  await settled();

  expect(press.defaultPrevented).toBe(false);
  expect(answered).toHaveBeenCalledTimes(answers);
});

it.each([
  { what: "released elsewhere", end: "mouseup" },
  { what: "became a drag", end: "dragstart" },
])("answers no press that $what, but the click after it", async ({ end }) => {
  const answered: (string | undefined)[] = [];
  const controls = '<button data-replay="add">Ajouter</button><button data-replay="photo">Photo</button>';
  const { arrive } = declare("stamp", (host) => {
    host.innerHTML = controls;
    for (const control of host.querySelectorAll("button"))
      control.addEventListener("click", () => answered.push(control.dataset.replay));
    return () => {};
  });
  const press = async (isClicked: boolean) => {
    const host = place('name="stamp"', controls);
    const [add, photo] = host.querySelectorAll("button");
    add?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
    document.body.dispatchEvent(new MouseEvent(end, { bubbles: true }));
    if (isClicked) photo?.click();
    arrive();
    await settled();
  };

  await press(false);
  expect(answered).toEqual([]);
  await press(true);
  expect(answered).toEqual(["photo"]);
});

it("gives a kept click back to the server's version after a failure", async () => {
  const answered = vi.fn();
  islands.stamp = () => Promise.reject(new Error("no"));
  const host = place('name="stamp" on="interaction"', '<button data-replay="add">Ajouter</button>');
  host.querySelector("button")?.addEventListener("click", answered);

  host.querySelector("button")?.click();
  expect(answered).not.toHaveBeenCalled();
  await settled();

  expect(answered).toHaveBeenCalledOnce();
});

it("leaves other clicks alone", () => {
  declare("stamp");
  const host = place('name="stamp" on="interaction"', "<label>texte</label>");
  const event = new MouseEvent("click", { bubbles: true, cancelable: true });
  host.querySelector("label")?.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(false);
});
