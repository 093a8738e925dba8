/** What the purchase keeps for as long as the tab is open. Where storage is refused, for as long as the page is. */
const memory = new Map<string, string>();

export const COUNTRY_KEY = "delivery-country";
export const FORM_KEY = "checkout-form";
export const ATTEMPT_KEY = "checkout-attempt";

export function readSession(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? memory.get(key) ?? "null");
  } catch {
    return null;
  }
}

export function writeSession(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    sessionStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}

export function dropSession(key: string): void {
  memory.delete(key);
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Refused storage holds nothing.
  }
}
