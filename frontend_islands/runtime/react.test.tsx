import { waitFor } from "@testing-library/react";
import { useEffect, useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Unmount } from "./island";
import { reactIsland, useIsland, useTranslation } from "./react";

// These tests wait as a page does: React draws in its own time.
beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false);
});

function Values() {
  const { values } = useIsland();
  return <p>{[...values].map((pair) => pair.join("=")).join(" ")}</p>;
}

function Controls() {
  return (
    <form>
      <input type="radio" name="finition" value="a" />
      <input type="radio" name="finition" value="b" />
      <input name="email" id="email" />
      <button type="button" data-replay="add">
        y
      </button>
    </form>
  );
}

let breakIt: () => void = () => {};
function Breaking() {
  const [isBroken, setBroken] = useState(false);
  breakIt = () => setBroken(true);
  if (isBroken) throw new Error("late");
  return <p>vivant</p>;
}

function place(fallback: string): HTMLElement {
  document.body.innerHTML = `<x-island name="stamp"><div data-fallback>${fallback}</div></x-island>`;
  return document.querySelector("x-island") as HTMLElement;
}

async function mount(component: React.ComponentType<{ name: string }>, fallback = "<p>du serveur</p>") {
  const host = place(fallback);
  let unmount: Unmount = () => {};
  let refused: unknown;
  try {
    unmount = await reactIsland(component)(host, { name: "Gardien" });
  } catch (error) {
    refused = error;
  }
  return { host, unmount, refused };
}

const server = (host: HTMLElement) => host.querySelector("[data-fallback]");

it("takes the place of the server's version, and gives it back", async () => {
  const { host, unmount } = await mount(({ name }) => <p>{name}</p>);

  expect(server(host)).toBeNull();
  expect(host.textContent).toBe("Gardien");

  unmount();
  expect(host.textContent).toBe("du serveur");
});

it("knows the words of the page's language", async () => {
  document.documentElement.lang = "de";
  vi.resetModules();
  const { reactIsland: fresh, useTranslation: words } = await import("./react");
  const host = place("");
  await fresh(() => <p>{words().t("buy.add")}</p>)(host, {});
  expect(host.textContent).toBe("In den Warenkorb");
});

it("starts from what was changed in the server's form, and only from that", async () => {
  const host = place(
    `<input name="email"><input name="city" value="Lyon"><textarea name="notes"></textarea>
     <input type="radio" name="finition" value="painted" checked>
     <input type="radio" name="finition" value="unpainted">
     <input type="radio" name="format" value="3" checked><input type="checkbox" name="terms" value="yes">
     <select name="country"><option selected>FR</option><option>BE</option></select>
     <select name="zone"><option selected>1</option><option>2</option></select>`,
  );
  const field = (name: string) => host.querySelector(`[name=${name}]`) as HTMLInputElement;
  field("email").value = "a@b.fr";
  field("notes").value = "Sonnez";
  field("country").value = "BE";
  host.querySelector<HTMLInputElement>("[value=unpainted]")?.click();
  field("terms").click();
  await reactIsland(Values)(host, {});

  expect(host.textContent).toBe("email=a@b.fr notes=Sonnez finition=unpainted terms=yes country=BE");
});

it.each([
  ["its replay name", '<button data-replay="add">x</button>', "button"],
  ["its id", '<input id="email">', "input"],
  ["its name", '<input name="email">', "input"],
  ["its name and value", '<input type="radio" name="finition" value="b">', "input"],
])("moves the focus to the counterpart with %s", async (_what, markup, selector) => {
  const host = place(markup);
  host.querySelector<HTMLElement>(selector)?.focus();
  const before = document.activeElement;
  await reactIsland(Controls)(host, {});

  expect(before?.isConnected).toBe(false);
  const now = document.activeElement as HTMLInputElement;
  expect(host.contains(now)).toBe(true);
  expect(now.value || now.dataset.replay || now.name).toBe(
    {
      '<button data-replay="add">x</button>': "add",
      '<input id="email">': "email",
      '<input name="email">': "email",
    }[markup] ?? "b",
  );
});

it("leaves the focus where it is outside the island", async () => {
  const host = place("<p>x</p>");
  const outside = document.body.appendChild(document.createElement("button"));
  outside.focus();
  await reactIsland(() => <input />)(host, {});
  expect(document.activeElement).toBe(outside);
});

it("refuses when the first drawing throws, and leaves the server's version", async () => {
  const { host, refused } = await mount(() => {
    throw new Error("no");
  });

  expect(refused).toEqual(new Error("no"));
  expect(host.textContent).toBe("du serveur");
  expect(host.children).toHaveLength(1);
});

it("gives the server's version back when a later drawing throws", async () => {
  const { host, refused } = await mount(Breaking);
  const heard = vi.fn();
  host.addEventListener("island:error", heard);
  expect(refused).toBeUndefined();
  expect(host.textContent).toBe("vivant");

  breakIt();
  await waitFor(() => expect(heard).toHaveBeenCalledOnce());

  expect(host.textContent).toBe("du serveur");
  expect(heard.mock.calls[0]?.[0].detail).toEqual(new Error("late"));
});

it("gives the server's version back when an effect throws", async () => {
  const { host } = await mount(() => {
    useEffect(() => {
      throw new Error("effect");
    }, []);
    return <p>vivant</p>;
  });
  await waitFor(() => expect(host.textContent).toBe("du serveur"));
});

it("throws for a key that no language has", async () => {
  const { refused } = await mount(() => {
    const { t } = useTranslation();
    return <p>{t("buy.nothing" as "buy.add")}</p>;
  });
  expect(refused).toEqual(new Error('"buy.nothing" is missing in fr.'));
});

it("needs an island around useIsland", async () => {
  const { render } = await import("@testing-library/react");
  expect(() => render(<Values />)).toThrow("useIsland needs an island around it.");
});
