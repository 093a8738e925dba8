import { beforeEach, expect, it, vi } from "vitest";

const KEY = "favorites";
const COPY = "favorites-copy";
let favourites: typeof import("./favourites");
const network = vi.fn<typeof fetch>();

const json = (body: unknown, status = 200) => Response.json(body, { status });
const me = (ids: number[], authenticated = true) =>
  json({ authenticated, roles: [], favourites: ids, csrf_token: "token" });
const stored = () => JSON.parse(localStorage.getItem(KEY) ?? "null");
const calls = () =>
  network.mock.calls.map(([path, init]) => [init?.method ?? "GET", path, init?.body ?? null]);

function signedIn() {
  vi.spyOn(document, "cookie", "get").mockReturnValue("member=1");
}

beforeEach(async () => {
  network.mockReset();
  vi.stubGlobal("fetch", network);
  // Each test is a page of its own.
  vi.resetModules();
  favourites = await import("./favourites");
});

it.each([
  [null, []],
  ["", []],
  ["{{{", []],
  ["null", []],
  ["7", []],
  ['{"0":1}', []],
  ['[1,"2",3.5,-4,0,null,1,9]', [1, 9]],
  [JSON.stringify(Array.from({ length: 500 }, (_, index) => index + 1)), undefined],
  [`[${"1,".repeat(6000)}1]`, []],
])("heals %s", (raw, ids) => {
  const found = favourites.parseFavourites(raw);
  if (ids) expect(found).toEqual(ids);
  else expect(found).toHaveLength(favourites.MAX_FAVOURITES);
});

it("keeps a guest's in the browser alone", async () => {
  const heard = vi.fn();
  document.addEventListener("favourites:changed", (event) => heard((event as CustomEvent).detail));
  expect(await favourites.toggleFavourite(3)).toBe(true);
  expect(await favourites.toggleFavourite(5)).toBe(true);
  expect(stored()).toEqual([5, 3]);
  expect(await favourites.toggleFavourite(3)).toBe(false);
  expect(stored()).toEqual([5]);
  expect(heard.mock.calls).toEqual([[{ ids: [3] }], [{ ids: [5, 3] }], [{ ids: [5] }]]);
  expect(network).not.toHaveBeenCalled();
});

it("adds what the browser held to the account, once", async () => {
  localStorage.setItem(KEY, "[9,2]");
  signedIn();
  network.mockResolvedValueOnce(me([2, 1])).mockResolvedValueOnce(json([9, 2, 1]));

  expect(await favourites.syncFavourites()).toEqual([9, 2, 1]);

  expect(calls()).toEqual([
    ["GET", "/api/me", null],
    ["PUT", "/api/favourites", "[9,2,1]"],
  ]);
  expect(stored()).toEqual([9, 2, 1]);
  expect(localStorage.getItem(COPY)).toBe("[9,2,1]");
});

it("follows the account from then on", async () => {
  localStorage.setItem(KEY, "[9,2]");
  localStorage.setItem(COPY, "[9,2]");
  signedIn();
  network.mockResolvedValueOnce(me([2]));
  expect(await favourites.syncFavourites()).toEqual([2]);
  expect(stored()).toEqual([2]);
  expect(network).toHaveBeenCalledTimes(1);
});

it("brings to the account what the page before was left with", async () => {
  localStorage.setItem(KEY, "[4,1]");
  localStorage.setItem(COPY, "[2,1]");
  signedIn();
  network.mockResolvedValueOnce(me([3, 2, 1])).mockResolvedValueOnce(json([4, 3, 1]));
  expect(await favourites.syncFavourites()).toEqual([4, 3, 1]);
  expect(calls()[1]).toEqual(["PUT", "/api/favourites", "[4,3,1]"]);
  expect(localStorage.getItem(COPY)).toBe("[4,3,1]");
});

it("leaves in the account's list what is pressed while it is joined", async () => {
  localStorage.setItem(KEY, "[9,2]");
  signedIn();
  let answer: (answer: Response) => void = () => {};
  network.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  network.mockImplementation(async () => json([4, 9, 1]));
  const synced = favourites.syncFavourites();
  const presses = Promise.all([favourites.toggleFavourite(4), favourites.toggleFavourite(2)]);
  answer(me([2, 1]));
  expect(await synced).toEqual([4, 9, 1]);
  await presses;
  expect(calls()).toContainEqual(["PUT", "/api/favourites", "[4,9,1]"]);
});

it("leaves nothing of the account in the browser after signing out", async () => {
  localStorage.setItem(KEY, "[9]");
  localStorage.setItem(COPY, "[9]");
  expect(await favourites.syncFavourites()).toEqual([]);
  expect(stored()).toEqual([]);
  expect(localStorage.getItem(COPY)).toBeNull();
});

it("keeps what the browser has when the server is away", async () => {
  localStorage.setItem(KEY, "[9]");
  signedIn();
  network.mockRejectedValueOnce(new TypeError("offline"));
  expect(await favourites.syncFavourites()).toEqual([9]);
  expect(localStorage.getItem(COPY)).toBeNull();
});

it("writes a member's change to the account", async () => {
  signedIn();
  network.mockResolvedValueOnce(me([])).mockResolvedValueOnce(json([4]));
  localStorage.setItem(COPY, "[]");
  expect(await favourites.toggleFavourite(4)).toBe(true);
  expect(localStorage.getItem(COPY)).toBe("[4]");
  network.mockResolvedValueOnce(json([]));
  expect(await favourites.toggleFavourite(4)).toBe(false);
  expect(calls().slice(1)).toEqual([
    ["PUT", "/api/favourites/4", null],
    ["DELETE", "/api/favourites/4", null],
  ]);
});

it("takes back what the server refuses", async () => {
  localStorage.setItem(KEY, "[1]");
  signedIn();
  network
    .mockResolvedValueOnce(me([1]))
    .mockResolvedValueOnce(json({ code: "too_many_favourites", detail: "Assez." }, 409));
  await expect(favourites.toggleFavourite(4)).rejects.toMatchObject({ code: "too_many_favourites" });
  expect(stored()).toEqual([1]);
});

it("takes back the refused change alone, and believes no answer that is older than a press", async () => {
  localStorage.setItem(COPY, "[]");
  signedIn();
  const answers: ((answer: Response) => void)[] = [];
  network.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  const synced = favourites.syncFavourites();
  const refused = favourites.toggleFavourite(4).catch((problem) => problem.code);
  const second = favourites.toggleFavourite(5);
  answers[0]?.(me([1]));
  await synced;
  expect(stored()).toEqual([5, 4, 1]);
  await vi.waitFor(() => expect(answers).toHaveLength(3));
  answers[2]?.(json([5, 4, 1]));
  await second;
  answers[1]?.(json({ code: "unknown_product", detail: "x" }, 404));
  expect(await refused).toBe("unknown_product");
  expect(stored()).toEqual([5, 1]);
});

it("sends two presses of one piece in their order", async () => {
  signedIn();
  network.mockResolvedValueOnce(me([]));
  let answer: (answer: Response) => void = () => {};
  network.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  network.mockResolvedValueOnce(json([]));
  const presses = Promise.all([favourites.toggleFavourite(4), favourites.toggleFavourite(4)]);
  await vi.waitFor(() => expect(calls()).toHaveLength(2));
  await new Promise((resolve) => setTimeout(resolve));
  expect(calls()).toHaveLength(2);
  answer(json([4]));
  expect(await presses).toEqual([true, false]);
  expect(calls()[2]).toEqual(["DELETE", "/api/favourites/4", null]);
  expect(stored()).toEqual([]);
});

it("keeps in the browser what a session that ended can't take, also on the next page", async () => {
  localStorage.setItem(KEY, "[1]");
  localStorage.setItem(COPY, "[1]");
  signedIn();
  network
    .mockResolvedValueOnce(me([], false))
    .mockResolvedValueOnce(json({ code: "not_authenticated", detail: "x" }, 401));
  expect(await favourites.toggleFavourite(4)).toBe(true);
  expect(stored()).toEqual([4, 1]);
  vi.restoreAllMocks();
  expect(await favourites.syncFavourites()).toEqual([4]);
});

it("lasts as long as the page where storage is refused", async () => {
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
    throw new DOMException("refused");
  });
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("refused");
  });
  await favourites.toggleFavourite(4);
  expect(favourites.readFavourites()).toEqual([4]);
});
