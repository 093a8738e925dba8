/**
 * `49.9` and `1 234,50 €` as the API writes amounts; what no amount is, the server refuses. A space before anything but
 * three digits groups nothing, and a sign between digits parts them: `49 90` and `49€90` are no 4990.
 */
export const toAmount = (typed: string): string =>
  typed
    .trim()
    .replace(/\s?€$/, "")
    .replace(",", ".")
    .replace(/^-\s/, "-")
    .replace(/\s(?=\d{3}(?!\d))/g, "");
