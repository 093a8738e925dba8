import { beforeEach, expect, it, vi } from "vitest";
import { ApiProblem, deleteJson, getJson, patchJson, postJson } from "./api";
import { forgetMe } from "./me";

const answer = (status: number, body: unknown, type = "application/json") =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { "Content-Type": type },
  });
const me = (token: string) =>
  answer(200, { authenticated: false, roles: [], favourites: [], csrf_token: token });
const problem = (status: number, code: string, more = {}) =>
  answer(status, { code, detail: "Une phrase.", ...more }, "application/problem+json");

const network = vi.fn<typeof fetch>();

beforeEach(() => {
  forgetMe();
  network.mockReset();
  vi.stubGlobal("fetch", network);
});

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable("The call should have been refused."),
    (error: unknown) => error as ApiProblem,
  );

it("reads in the language of the page", async () => {
  document.documentElement.lang = "de";
  network.mockResolvedValueOnce(answer(200, { count: 2 }));

  expect(await getJson("/api/products")).toEqual({ count: 2 });

  expect(network).toHaveBeenCalledExactlyOnceWith("/api/products", {
    method: "GET",
    headers: { Accept: "application/json", "Accept-Language": "de" },
    credentials: "same-origin",
    signal: expect.any(AbortSignal),
  });
});

it("writes with a token that it asks for once", async () => {
  network.mockResolvedValueOnce(me("abc"));
  network.mockImplementation(async () => answer(201, { ok: true }));

  await postJson("/api/checkout", { lines: [] }, { headers: { "Idempotency-Key": "k" } });
  await postJson("/api/checkout", { lines: [] });

  expect(network.mock.calls.map(([address]) => address)).toEqual([
    "/api/me",
    "/api/checkout",
    "/api/checkout",
  ]);
  expect(network.mock.calls[1]?.[1]).toMatchObject({
    method: "POST",
    body: '{"lines":[]}',
    headers: { "X-CSRFToken": "abc", "Content-Type": "application/json", "Idempotency-Key": "k" },
  });
});

it("lets writes outlive their page, those that are not too long together for that", async () => {
  network.mockResolvedValueOnce(me("abc"));
  network.mockImplementation(async () => answer(200, {}));
  await deleteJson("/api/favourites/3");
  const note = () => postJson("/api/admin/orders/1/notes", { text: "x".repeat(9_000) });
  await Promise.all([note(), note(), note()]);
  await note();
  await postJson("/api/admin/products/import", { csv: "x".repeat(20_000) });
  await postJson("/api/cart/quote", {}, { isAnonymous: true });
  expect(network.mock.calls.slice(1).map(([, call]) => Boolean(call?.keepalive))).toEqual([
    true,
    ...[true, true, false],
    true,
    false,
    false,
  ]);
});

it("asks for a fresh token when the old one is refused, once", async () => {
  network
    .mockResolvedValueOnce(me("old"))
    .mockResolvedValueOnce(problem(403, "csrf_failed"))
    .mockResolvedValueOnce(me("new"))
    .mockResolvedValueOnce(answer(200, { ok: true }));

  expect(await postJson("/api/cart/quote", {})).toEqual({ ok: true });
  expect(network.mock.calls[3]?.[1]?.headers).toMatchObject({ "X-CSRFToken": "new" });

  network.mockImplementation(async (address) =>
    address === "/api/me" ? me("x") : problem(403, "csrf_failed"),
  );
  expect((await refusal(postJson("/api/cart/quote", {}))).code).toBe("csrf_failed");
});

it("does not repeat any other refusal", async () => {
  network.mockResolvedValueOnce(me("abc")).mockResolvedValueOnce(problem(403, "forbidden"));

  expect((await refusal(postJson("/api/checkout", {}))).code).toBe("forbidden");
  expect(network).toHaveBeenCalledTimes(2);
});

it("gives the server's sentence, field messages and whole answer", async () => {
  network.mockResolvedValueOnce(
    problem(409, "price_changed", {
      errors: { "customer.email": ["À corriger."] },
      quote: { total: "12.00" },
    }),
  );

  const refused = await refusal(getJson("/api/x"));

  expect(refused).toBeInstanceOf(ApiProblem);
  expect(refused).toMatchObject({
    status: 409,
    code: "price_changed",
    detail: "Une phrase.",
    errors: { "customer.email": ["À corriger."] },
    body: { quote: { total: "12.00" } },
  });
});

it.each([
  ["a proxy's page", answer(502, "<h1>Bad gateway</h1>", "text/html"), 502],
  ["half a document", answer(200, '{"total": "1', "application/json"), 200],
  ["a page instead of JSON", answer(200, "<p>hello</p>", "text/html"), 200],
  ["a refusal without code", answer(500, { detail: "x" }), 500],
  ["a refusal that is no object", answer(500, "null"), 500],
])("calls %s unreadable", async (_what, given, status) => {
  network.mockResolvedValueOnce(given);
  expect(await refusal(getJson("/api/x"))).toMatchObject({ status, code: "unreadable", detail: "" });
});

it("calls no answer a network problem, and asks for the token again next time", async () => {
  network.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  expect(await refusal(postJson("/api/x", {}))).toMatchObject({ status: 0, code: "network" });

  network.mockResolvedValueOnce(me("abc")).mockResolvedValueOnce(answer(200, { ok: true }));
  expect(await postJson("/api/x", {})).toEqual({ ok: true });
});

it("gives up a call that nothing answers, a long one later, and lets it be sent again", async () => {
  const limits: number[] = [];
  let off = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockImplementation((limit) => {
    limits.push(limit);
    off = new AbortController();
    return off.signal;
  });
  const hangs: typeof fetch = (_address, call) =>
    new Promise((_done, fail) => {
      call?.signal?.addEventListener("abort", () => fail(call.signal?.reason));
      off.abort(new DOMException("late", "TimeoutError"));
    });
  const late = { status: 0, code: "network", cause: { name: "TimeoutError" } };

  // Calls that their page may call off end by themselves, too.
  const { signal } = new AbortController();
  network.mockImplementation(async (...call) => (call[0] === "/api/me" ? me("abc") : hangs(...call)));
  expect(await refusal(getJson("/api/x", { signal }))).toMatchObject(late);
  expect(await refusal(postJson("/api/x", {}, { signal, isAnonymous: true }))).toMatchObject(late);
  network.mockImplementation(async (address) => (address === "/api/me" ? me("abc") : answer(200, {})));
  expect(await patchJson("/api/x", "x".repeat(100_000 - 2))).toEqual({});
  // The read, the write, the long write, its token.
  expect(limits).toEqual([30_000, 30_001, 50_000, 30_000]);
});

it("calls an answer that stops half way a network problem", async () => {
  const cut = new ReadableStream({ start: (body) => body.error(new TypeError("network error")) });
  network.mockResolvedValueOnce(new Response(cut, { headers: { "Content-Type": "application/json" } }));
  expect(await refusal(getJson("/api/x"))).toMatchObject({ status: 0, code: "network" });
});

it("leaves a call that was called off what it is", async () => {
  network.mockImplementation(
    (_address, call) =>
      new Promise((_done, fail) => {
        const end = () => fail(call?.signal?.reason);
        call?.signal?.addEventListener("abort", end);
        if (call?.signal?.aborted) end();
      }),
  );
  const controller = new AbortController();
  const call = refusal(getJson("/api/x", { signal: controller.signal }));
  controller.abort(new DOMException("off", "AbortError"));
  expect(await call).toMatchObject({ name: "AbortError" });
  expect(await refusal(getJson("/api/x", { signal: controller.signal }))).toMatchObject({
    name: "AbortError",
  });
});

it("takes an empty answer as none", async () => {
  network.mockResolvedValueOnce(new Response(null, { status: 204 }));
  expect(await getJson("/api/x")).toBeUndefined();
});

it("takes the answer of a call that went out before", async () => {
  const sent = Promise.resolve(answer(200, { total: "12.00" }));

  const found = await postJson("/api/cart/quote", { lines: [] }, { isAnonymous: true, sent });

  expect(found).toEqual({ total: "12.00" });
  expect(network).not.toHaveBeenCalled();
});

it("needs no token for a call that reads nothing of the visitor", async () => {
  network.mockResolvedValueOnce(answer(200, { total: "0.00" }));

  await postJson("/api/cart/quote", { lines: [] }, { isAnonymous: true });

  expect(network.mock.calls.map(([address]) => address)).toEqual(["/api/cart/quote"]);
  expect(network.mock.calls[0]?.[1]?.headers).not.toHaveProperty("X-CSRFToken");
});
