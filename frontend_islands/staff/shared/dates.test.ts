import { expect, it } from "vitest";
import { formatDay, formatMoment, formatShortDay } from "./dates";

it("writes moments in the shop's time zone, with two figures", () => {
  expect(formatMoment("2026-11-02T23:05:00Z")).toBe("03 novembre 2026 à 00:05");
});

it("writes a day without moving it", () => {
  expect(formatDay("2026-12-01")).toBe("1er décembre 2026");
  expect(formatDay("2026-12-11")).toBe("11 décembre 2026");
});

it("names the day that it is in the shop, and a later one", () => {
  expect(formatShortDay("2026-10-31T23:30:00Z")).toBe("01/11/2026");
  expect(formatShortDay("2026-10-31T23:30:00Z", 30)).toBe("01/12/2026");
});
