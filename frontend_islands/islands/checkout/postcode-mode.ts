/** Countries whose postcodes are digits alone: phones show their number pad. */
const DIGITS = new Set("FR DE ES IT BE AT CH LU DK NO FI".split(" "));

export function postcodeMode(country: string): "numeric" | "text" {
  return DIGITS.has(country) ? "numeric" : "text";
}
