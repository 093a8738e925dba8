import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { declare, observed, place, settled, startIslands } from "@/testing/island-element";
import { islands } from "@/testing/islands";

beforeAll(() => import("./island-element"));
beforeEach(startIslands);

it("loads, mounts with its props and is ready", async () => {
  const { mount, arrive, load } = declare("stamp");
  const host = place('name="stamp" on="load"');

  expect(host.getAttribute("state")).toBe("loading");
  arrive();
  await settled();

  expect(load).toHaveBeenCalledOnce();
  expect(mount).toHaveBeenCalledExactlyOnceWith(host, { n: 1 });
  expect(host.getAttribute("state")).toBe("ready");
  expect(reportError).not.toHaveBeenCalled();
});

it("gives null to an island without props", async () => {
  const { mount, arrive } = declare("plain");
  document.body.innerHTML = '<x-island name="plain"><div data-fallback></div></x-island>';
  arrive();
  await settled();
  expect(mount).toHaveBeenCalledExactlyOnceWith(document.querySelector("x-island"), null);
});

it("waits until it is nearly in sight, and looks once", async () => {
  const { load } = declare("stamp");
  const host = place('name="stamp" on="visible"');

  expect(host.getAttribute("state")).toBe("waiting");
  expect(observed[0]?.targets.map((target) => target.tagName)).toEqual(["DIV", "P"]);
  observed[0]?.fire(false);
  expect(load).not.toHaveBeenCalled();
  observed[0]?.fire(true);
  expect(load).toHaveBeenCalledOnce();
  expect(observed[0]?.isOver).toBe(true);
});

it.each(["pointermove", "focusin", "touchend"])("waits for the first touch: %s", (name) => {
  const { load } = declare("stamp");
  place('name="stamp" on="interaction"', "<button>x</button>");
  expect(load).not.toHaveBeenCalled();

  const button = document.querySelector("button");
  for (let time = 0; time < 2; time += 1)
    button?.dispatchEvent(Object.assign(new Event(name, { bubbles: true }), { movementX: 1 }));

  expect(load).toHaveBeenCalledOnce();
});

it("takes no resting mouse for somebody", () => {
  const { load } = declare("stamp");
  const host = place('name="stamp" on="interaction"');
  const move = (by: number) =>
    host.dispatchEvent(Object.assign(new Event("pointermove"), { movementX: by, movementY: 0 }));
  move(0);
  expect(load).not.toHaveBeenCalled();
  move(1);
  expect(load).toHaveBeenCalledOnce();
});

it("leaves the line to the page's pictures", () => {
  const { load } = declare("stamp");
  const state = vi.spyOn(document, "readyState", "get").mockReturnValue("interactive");
  place('name="stamp" on="idle"');
  expect(load).not.toHaveBeenCalled();
  window.dispatchEvent(new Event("load"));
  expect(load).toHaveBeenCalledOnce();

  state.mockReturnValue("complete");
  place('name="stamp" on="idle"');
  expect(load).toHaveBeenCalledTimes(2);
});

it("waits for no picture once it is touched", () => {
  const { load } = declare("stamp");
  vi.spyOn(document, "readyState", "get").mockReturnValue("interactive");
  const host = place('name="stamp" on="idle"');
  host.querySelector("p")?.dispatchEvent(new Event("touchend", { bubbles: true }));
  expect(load).toHaveBeenCalledOnce();
  window.dispatchEvent(new Event("load"));
  expect(load).toHaveBeenCalledOnce();
});

it("waits no more where somebody has chosen before it could listen", () => {
  const choices =
    '<input type="radio" name="finish" value="a" checked><input type="radio" name="finish" value="b">';
  const { load } = declare("stamp");
  place('name="stamp" on="use"', choices);
  expect(load).not.toHaveBeenCalled();

  const chosen = document.createElement("div");
  chosen.innerHTML = `<x-island name="stamp" on="use"><div data-fallback>${choices}</div></x-island>`;
  chosen.querySelector<HTMLInputElement>("[value=b]")?.click();
  document.body.replaceChildren(chosen);
  expect(load).toHaveBeenCalledOnce();
});

it("waits until the page is used, wherever, and what comes later waits no more", async () => {
  const { load } = declare("stamp");
  const used = declare("later").load;
  document.body.innerHTML =
    '<p>ailleurs</p><x-island name="stamp" on="use"><div data-fallback></div></x-island>';
  window.dispatchEvent(new Event("load"));
  expect(load).not.toHaveBeenCalled();

  document.querySelector("p")?.dispatchEvent(new Event("touchend", { bubbles: true }));
  expect(load).toHaveBeenCalledOnce();
  place('name="later" on="use"');
  expect(used).toHaveBeenCalledOnce();
});

it("leaves a link that is opened in a tab to the browser", async () => {
  declare("stamp");
  place('name="stamp" on="use"', '<a href="#photo" data-replay="photo">x</a>');
  const press = (ctrlKey: boolean) => {
    const click = new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey });
    document.querySelector("a")?.dispatchEvent(click);
    return click.defaultPrevented;
  };
  expect([press(true), press(false)]).toEqual([false, true]);
});

it("is not begun after it left the page", async () => {
  const { load } = declare("stamp");
  vi.spyOn(document, "readyState", "get").mockReturnValue("interactive");
  place('name="stamp" on="idle"');
  document.body.replaceChildren();
  await settled();
  window.dispatchEvent(new Event("load"));
  expect(load).not.toHaveBeenCalled();
});

it("loads at once where the cart is not known to be empty", () => {
  const { load } = declare("stamp");
  place('name="stamp" on="cart"');
  expect(load).toHaveBeenCalledOnce();
});

it.each([
  ["filled on this page", () => document.dispatchEvent(new CustomEvent("cart:changed"))],
  ["filled in another tab", () => dispatchEvent(new StorageEvent("storage", { key: "cart" }))],
  [
    "filled before the page came back from memory",
    () => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
  ],
])("waits for a cart that is %s", (_what, fill) => {
  const { load } = declare("stamp");
  document.documentElement.dataset.cart = "empty";
  place('name="stamp" on="cart"');
  delete document.documentElement.dataset.cart;
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }));
  expect(load).not.toHaveBeenCalled();

  fill();
  fill();
  expect(load).toHaveBeenCalledOnce();
});

it.each([
  ["an unknown name", () => {}],
  [
    "a module that does not arrive",
    () => {
      islands.stamp = () => Promise.reject(new TypeError("Failed to fetch"));
    },
  ],
  [
    "an island that throws",
    () => {
      const throwing = () => {
        throw new Error("no");
      };
      islands.stamp = async () => ({ mount: throwing });
    },
  ],
  [
    "an island that rejects",
    () => {
      islands.stamp = async () => ({ mount: () => Promise.reject(new Error("no")) });
    },
  ],
])("fails by itself with %s: the server's version stays", async (_what, prepare) => {
  prepare();
  const host = place('name="stamp"');
  await settled();

  expect(host.getAttribute("state")).toBe("failed");
  expect(host.querySelector("p")?.textContent).toBe("du serveur");
  expect(reportError).toHaveBeenCalledExactlyOnceWith(new Error('The island "stamp" failed.'));
  expect(vi.mocked(reportError).mock.calls[0]?.[0].cause).toBeInstanceOf(Error);
});

it("fails with unreadable props", async () => {
  const { mount, arrive } = declare("stamp");
  const host = place('name="stamp"', "", "{");
  arrive();
  await settled();
  expect(host.getAttribute("state")).toBe("failed");
  expect(mount).not.toHaveBeenCalled();
});

it("takes an island off that fails later", async () => {
  const unmount = vi.fn();
  const { arrive } = declare("stamp", () => unmount);
  const host = place('name="stamp"');
  arrive();
  await settled();

  host.dispatchEvent(new CustomEvent("island:error", { detail: new Error("late") }));

  expect(unmount).toHaveBeenCalledOnce();
  expect(host.getAttribute("state")).toBe("failed");
});

it("unmounts when it leaves the page, not when it moves", async () => {
  const unmount = vi.fn();
  const { arrive, load } = declare("stamp", () => unmount);
  const host = place('name="stamp"');
  arrive();
  await settled();

  document.body.append(host);
  await settled();
  expect(unmount).not.toHaveBeenCalled();
  expect(load).toHaveBeenCalledOnce();

  host.remove();
  await settled();
  expect(unmount).toHaveBeenCalledOnce();

  document.body.append(host);
  await settled();
  expect(load).toHaveBeenCalledTimes(2);
  expect(host.getAttribute("state")).toBe("ready");
});

it("does not mount what left while its module was on the way", async () => {
  const { arrive, mount } = declare("stamp");
  const host = place('name="stamp"');
  host.remove();
  await settled();
  arrive();
  await settled();
  expect(mount).not.toHaveBeenCalled();
});

it("unmounts what left while it was being mounted", async () => {
  const unmount = vi.fn();
  let finish: () => void = () => {};
  const { arrive } = declare(
    "stamp",
    () =>
      new Promise((resolve) => {
        finish = () => resolve(unmount);
      }),
  );
  const host = place('name="stamp"');
  arrive();
  await settled();
  host.remove();
  await settled();
  finish();
  await settled();
  expect(unmount).toHaveBeenCalledOnce();
});

it("stops waiting when it leaves", async () => {
  declare("stamp");
  place('name="stamp" on="visible"').remove();
  await settled();
  expect(observed[0]?.isOver).toBe(true);
});

it("mounts islands that a fragment brings", async () => {
  const { arrive, mount } = declare("stamp");
  arrive();
  const results = document.body.appendChild(document.createElement("div"));
  results.innerHTML = '<x-island name="stamp"><div data-fallback></div></x-island>';
  await settled();
  expect(mount).toHaveBeenCalledOnce();
});
