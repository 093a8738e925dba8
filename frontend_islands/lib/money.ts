/**
 * Amounts as text. The server formats them wherever it can (`price_text`); this is for the few that only exist as
 * an API string. Nothing is ever added up here: a sum that counts is the server's.
 */

/** `"1234.50"` → `1 234,50 €` (fr), `€1,234.50` (en), `−9,99 €` with U+2212, as the server writes it in the same language. */
export function formatMoney(amount: string, language: string = document.documentElement.lang): string {
  if (!/^-?\d+\.\d\d$/.test(amount)) throw new RangeError(`"${amount}" is not an amount.`);
  return new Intl.NumberFormat(language, { style: "currency", currency: "EUR" })
    .format(Number(amount))
    .replace("-", "\u2212");
}
