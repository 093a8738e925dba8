/** What the purchase remembers for as long as the tab is open. */
import { tabStore } from "@/lib/storage";

export const COUNTRY_KEY = "delivery-country";
export const FORM_KEY = "checkout-form";
export const ATTEMPT_KEY = "checkout-attempt";

export function readSession(key: string): unknown {
  try {
    return JSON.parse(tabStore.read(key) ?? "null");
  } catch {
    return null;
  }
}

export function writeSession(key: string, value: unknown): void {
  tabStore.write(key, JSON.stringify(value));
}

export function dropSession(key: string): void {
  tabStore.remove(key);
}
