import { beforeEach, expect, it, vi } from "vitest";

const beacon = vi.fn<Navigator["sendBeacon"]>();
const reports = () => beacon.mock.calls.map(([, body]) => JSON.parse(String(body)));
const uncaught = (error: unknown) => dispatchEvent(new ErrorEvent("error", { error }));

beforeEach(async () => {
  beacon.mockReset();
  Object.defineProperty(navigator, "sendBeacon", { value: beacon, configurable: true });
  // Each test's page starts counting afresh. Listeners of earlier pages have sent their five by then.
  vi.resetModules();
  const { reportToServer } = await import("./report");
  reportToServer();
});

it("reports what nobody caught: the error, its cause and where, five times a page", () => {
  history.replaceState(null, "", "/produit/3-gardien?email=a@b.fr");
  const cause = new TypeError("inner");
  for (let count = 0; count < 8; count += 1) uncaught(new Error('The island "stamp" failed.', { cause }));

  expect(beacon.mock.calls.map(([address]) => address)).toEqual(Array(5).fill("/api/client-errors"));
  expect(reports()[0]).toEqual({
    message: 'Error: The island "stamp" failed. TypeError: inner',
    stack: cause.stack?.slice(0, 2000),
    path: "/produit/3-gardien",
    language: "fr",
  });
});

it("reports promises that nobody waited for", () => {
  const reason = new Error("late");
  dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason }));
  expect(reports()).toMatchObject([{ message: "Error: late" }]);
});

it("stays within what the server reads", () => {
  const long = new Error("é".repeat(9000));
  long.stack = "x".repeat(9000);
  uncaught(long);
  expect(reports()[0].message).toHaveLength(500);
  expect(new TextEncoder().encode(String(beacon.mock.calls[0]?.[1])).length).toBeLessThan(4096);
});

it.each([[null], [undefined], ["Script error."], [{}]])(
  "does not report %j, which says nothing",
  (nothing) => {
    uncaught(nothing);
    expect(beacon).not.toHaveBeenCalled();
  },
);
