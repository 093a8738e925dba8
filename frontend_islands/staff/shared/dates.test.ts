import { expect, it } from "vitest";
import { formatDay, formatMoment } from "./dates";

it("writes moments in the shop's time zone, with two figures", () => {
  expect(formatMoment("2026-11-02T23:05:00Z")).toBe("03 novembre 2026 à 00:05");
});

it("writes a day without moving it", () => {
  expect(formatDay("2026-12-01")).toBe("1 décembre 2026");
});
