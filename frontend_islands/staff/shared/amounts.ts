/** `49.9` and `1 234,50 €` as the API writes amounts; what no amount is, the server refuses. */
export const toAmount = (typed: string): string => typed.replace(",", ".").replace(/\s|€/g, "");
