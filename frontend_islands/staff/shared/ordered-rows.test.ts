import { beforeEach, expect, test, vi } from "vitest";
import { orderRows } from "./ordered-rows";

const LIST = "http://localhost:3000/admin/categories";
const item = (key: number) =>
  `<li class="staff-rows__item" data-row="${key}" data-name="C${key}"><form class="staff-rows__move" action="${LIST}/${key}/deplacer"><button name="vers" value="haut">Monter</button><button name="vers" value="bas">Descendre</button></form></li>`;
const order = () =>
  [...document.querySelectorAll<HTMLElement>("[data-row]")].map(({ dataset }) => dataset.row);
const buttons = (key: number) => document.querySelectorAll<HTMLButtonElement>(`[data-row="${key}"] button`);
const sent: [string, string][] = [];
const kept: (boolean | undefined)[] = [];
let answered: () => unknown;

beforeEach(() => {
  history.replaceState(null, "", "/admin/categories");
  document.body.innerHTML = `<div id="live"></div><div id="toasts"></div><ul data-ordered>${[1, 2, 3].map(item).join("")}</ul>`;
  sent.length = 0;
  kept.length = 0;
  answered = () => ({ ok: true, url: location.href });
  vi.stubGlobal("fetch", async (url: string, { body, keepalive }: RequestInit & { body: FormData }) => {
    kept.push(keepalive);
    sent.push([new URL(url).pathname, String(body.get("avant"))]);
    return answered();
  });
  orderRows(document.querySelector("ul") as HTMLElement);
});

function press(button: HTMLElement | undefined, key: string): void {
  button?.focus();
  button?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}

test("arrow keys move a row, keep the focus on it and say its place", async () => {
  press(buttons(1)[1], "ArrowDown");
  await vi.waitFor(() =>
    expect(document.getElementById("live")?.textContent).toContain("C1 est maintenant à la place 2"),
  );
  press(buttons(1)[1], "End");
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(order()).toEqual(["2", "3", "1"]);
  expect(sent).toEqual([
    ["/admin/categories/1/deplacer", "3"],
    ["/admin/categories/1/deplacer", "fin"],
  ]);
  expect(document.activeElement).toBe(buttons(1)[0]);
  expect([buttons(2)[0]?.disabled, buttons(1)[1]?.disabled]).toEqual([true, true]);
});

test("a button moves its row without leaving the page", async () => {
  const event = new SubmitEvent("submit", {
    bubbles: true,
    cancelable: true,
    submitter: buttons(3)[0] as HTMLElement,
  });
  buttons(3)[0]?.form?.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  await vi.waitFor(() => expect(sent).toEqual([["/admin/categories/3/deplacer", "2"]]));
  expect(order()).toEqual(["1", "3", "2"]);
});

test.each([
  ["the session ended", () => ({ ok: true, url: "http://localhost:3000/auth" }), "session est terminée"],
  ["the server refuses", () => ({ ok: false, url: location.href }), "Vérifiez ce qui est enregistré"],
  ["nothing answers", () => Promise.reject(new TypeError()), "ne répond pas"],
])("a move is taken back when %s, which is said", async (_case, answer, said) => {
  answered = answer;
  press(buttons(2)[0], "ArrowUp");
  expect(order()).toEqual(["2", "1", "3"]);
  await vi.waitFor(() => expect(order()).toEqual(["1", "2", "3"]));
  expect(document.querySelector(".toast--error")?.textContent).toContain(said);
});

test("a move that fails leaves those after it, which wait for it and go on when the page is left", async () => {
  const answers: ((answer: object) => void)[] = [];
  answered = () => new Promise((resolve) => answers.push(resolve));
  press(buttons(1)[1], "ArrowDown");
  const asks = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  expect(asks()).toBe(false);
  press(buttons(2)[1], "End");
  expect(order()).toEqual(["1", "3", "2"]);
  expect(asks()).toBe(true);
  answers[0]?.({ ok: false, url: location.href });
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  expect(order()).toEqual(["1", "3", "2"]);
  answers[1]?.({ ok: true, url: location.href });
  await vi.waitFor(() => expect(document.getElementById("live")?.textContent).toContain("C2"));
  press(buttons(3)[1], "End");
  await vi.waitFor(() => expect(answers).toHaveLength(3));
  expect(kept).toEqual([true, true, true]);
});
