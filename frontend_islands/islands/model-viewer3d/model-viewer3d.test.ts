import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { mount } from "./index";

const made = vi.hoisted(() => ({ createScene: vi.fn() }));
vi.mock("./scene", () => made);

const scene = { turn: vi.fn(), zoom: vi.fn(), reset: vi.fn(), dispose: vi.fn() };
const network = vi.fn();
let unmount: () => void;

function $<E extends HTMLElement = HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (!found) throw new Error(`Nothing is ${selector}.`);
  return found;
}
const state = () => $("section").dataset.state;
const status = () => $("[data-status]").textContent;
const press = (key: string, options: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options });
  $("canvas").dispatchEvent(event);
  return event;
};
const open = async () => {
  $("[data-open]").click();
  await vi.dynamicImportSettled();
  await new Promise((done) => setTimeout(done));
};

beforeEach(async () => {
  vi.resetAllMocks();
  vi.stubGlobal("fetch", network);
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  network.mockImplementation(async () => new Response("glTF"));
  made.createScene.mockResolvedValue(scene);
  document.body.innerHTML = `<x-island-stub><div data-fallback>
    <section data-model="/media/models/a.glb" data-label="Golem en 3D" data-loading="Chargement" data-ready="Affiché"
      data-failed="Échec" data-unsupported="Pas de 3D">
      <div data-stage><img alt="Golem"></div>
      <button type="button" data-open>Voir en 3D</button>
      <div data-tools hidden><button type="button" data-act="left">←</button><button type="button" data-act="in">+</button>
        <button type="button" data-act="close">Photo</button></div>
      <p id="aide" data-help hidden>Aide</p><p data-status></p>
    </section></div></x-island-stub>`;
  unmount = (await mount(document.body.firstElementChild as HTMLElement, null)) as () => void;
});
afterEach(() => {
  unmount();
  vi.unstubAllGlobals();
});

it("fetches nothing until it is asked to", () => {
  expect(network).not.toHaveBeenCalled();
  expect(document.querySelector("canvas")).toBeNull();
});

it("shows the model, says so and hands it the keyboard", async () => {
  $("[data-open]").click();
  expect(state()).toBe("loading");
  expect(status()).toBe("Chargement");
  expect($("[data-open]").getAttribute("aria-disabled")).toBe("true");
  await open();

  expect(network.mock.calls[0]?.[0]).toBe("/media/models/a.glb");
  expect(network).toHaveBeenCalledTimes(1);
  expect(made.createScene.mock.calls[0]?.[2]).toBe(true);
  expect(state()).toBe("ready");
  expect(status()).toBe("Affiché");
  expect($("[data-tools]").hidden).toBe(false);
  expect($("[data-help]").hidden).toBe(false);
  expect($("[data-open]").hidden).toBe(true);
  const canvas = $("canvas");
  expect(document.activeElement).toBe(canvas);
  expect(canvas.getAttribute("role")).toBe("application");
  expect(canvas.getAttribute("aria-label")).toBe("Golem en 3D");
  expect(canvas.getAttribute("aria-describedby")).toBe("aide");
});

it.each([
  ["ArrowLeft", () => expect(scene.turn).toHaveBeenCalledExactlyOnceWith(-Math.PI / 12, 0)],
  ["ArrowRight", () => expect(scene.turn).toHaveBeenCalledExactlyOnceWith(Math.PI / 12, 0)],
  ["ArrowUp", () => expect(scene.turn).toHaveBeenCalledExactlyOnceWith(0, -Math.PI / 12)],
  ["ArrowDown", () => expect(scene.turn).toHaveBeenCalledExactlyOnceWith(0, Math.PI / 12)],
  ["+", () => expect(scene.zoom).toHaveBeenCalledExactlyOnceWith(1 / 1.2)],
  ["-", () => expect(scene.zoom).toHaveBeenCalledExactlyOnceWith(1.2)],
  ["Home", () => expect(scene.reset).toHaveBeenCalledOnce()],
])("answers the key %s", async (key, expectMove) => {
  await open();
  expect(press(key).defaultPrevented).toBe(true);
  expectMove();
});

it("leaves other keys and shortcuts to the page", async () => {
  await open();
  expect(press("Tab").defaultPrevented).toBe(false);
  expect(press("+", { ctrlKey: true }).defaultPrevented).toBe(false);
  expect(scene.zoom).not.toHaveBeenCalled();
});

it("can be turned and zoomed by buttons, and closed", async () => {
  await open();
  $('[data-act="left"]').click();
  $('[data-act="in"]').click();
  expect(scene.turn).toHaveBeenCalledOnce();
  expect(scene.zoom).toHaveBeenCalledOnce();
  $('[data-act="close"]').click();
  expect(state()).toBe("poster");
  expect(scene.dispose).toHaveBeenCalledOnce();
  expect(document.querySelector("canvas")).toBeNull();
  expect(document.activeElement).toBe($("[data-open]"));
});

it("keeps the picture where there is no WebGL", async () => {
  made.createScene.mockResolvedValue(null);
  await open();
  expect(state()).toBe("unsupported");
  expect(status()).toBe("Pas de 3D");
  expect(document.querySelector("canvas")).toBeNull();
  expect($("[data-open]").hidden).toBe(true);
});

it.each([
  ["the file is gone", () => network.mockResolvedValue(new Response("", { status: 404 }))],
  ["the network is away", () => network.mockRejectedValue(new TypeError("offline"))],
  ["the model is broken", () => made.createScene.mockRejectedValue(new Error("no glTF"))],
])("keeps the picture and lets try again when %s", async (_name, arrange) => {
  arrange();
  await open();
  expect(state()).toBe("failed");
  expect(status()).toBe("Échec");
  expect(document.querySelector("canvas")).toBeNull();

  network.mockImplementation(async () => new Response("glTF"));
  made.createScene.mockResolvedValue(scene);
  await open();
  expect(state()).toBe("ready");
});

it("brings the picture back when the browser takes the drawing away", async () => {
  await open();
  made.createScene.mock.calls[0]?.[3]();
  expect(state()).toBe("failed");
  expect(scene.dispose).toHaveBeenCalledOnce();
});

it("goes on when the browser takes away a drawing that was closed before", async () => {
  await open();
  $('[data-act="close"]').click();
  await open();
  made.createScene.mock.calls[0]?.[3]();
  expect(state()).toBe("ready");
  expect(scene.dispose).toHaveBeenCalledOnce();
});

it("drops a scene that is ready after the page was left", async () => {
  let finish: (value: typeof scene) => void = () => {};
  made.createScene.mockReturnValue(new Promise((resolve) => (finish = resolve)));
  await open();
  unmount();
  finish(scene);
  await open();
  expect(scene.dispose).toHaveBeenCalledOnce();
});
