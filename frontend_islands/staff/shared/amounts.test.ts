import { expect, test } from "vitest";
import { toAmount } from "./amounts";

test.each([
  ["49,9", "49.9"],
  [" 1 234,50 € ", "1234.50"],
  ["1\u202f234\u202f567\u00a0€", "1234567"],
  ["12€", "12"],
  ["- 3,50", "-3.50"],
  // 49,90 for whoever wrote it; a price of 4990 would be accepted.
  ["49€90", "49€90"],
  ["49 90", "49 90"],
  ["49 9", "49 9"],
  ["1 2345", "1 2345"],
  ["", ""],
])("%j is sent as %j", (typed, sent) => expect(toAmount(typed)).toBe(sent));
