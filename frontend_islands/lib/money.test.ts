import { expect, it } from "vitest";
import { formatMoney } from "./money";
// Shared with the server's own test: both must write the same text for the same amount.
import cases from "./money.cases.json";

const all = Object.entries(cases).flatMap(([language, amounts]) =>
  Object.entries(amounts).map(([amount, text]) => [language, amount, text] as const),
);

it.each(all)("writes in %s the amount %s as the server does: %s", (language, amount, text) => {
  expect(formatMoney(amount, language)).toBe(text);
});

it("writes in the language of the page", () => {
  document.documentElement.lang = "en";
  expect(formatMoney("49.99")).toBe("€49.99");
});

it.each(["", "49", "49.9", "49,99", "49.999", "NaN", "1e3", "<b>1.00</b>"])("refuses %j", (wrong) => {
  expect(() => formatMoney(wrong)).toThrow(RangeError);
});
