/** Whether this browser is counted in the shop's own statistics: the one choice of them, and the only thing stored. */
import { browserStore } from "./storage";

const KEY = "statistics-off";

/** What a browser says to every site: `Do Not Track`, Global Privacy Control. */
interface Signals {
  doNotTrack?: string | null;
  globalPrivacyControl?: boolean;
}

/** Whether the browser itself objects on every site. */
export function browserObjects(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Signals;
  return doNotTrack === "1" || globalPrivacyControl === true;
}

export function isCounted(): boolean {
  return !browserObjects() && browserStore.read(KEY) === null;
}

/** Stores the choice. `reason` is the visitor's own or that this browser is used in the staff area. */
export function setCounted(counted: boolean, reason: "visitor" | "staff" = "visitor"): void {
  if (counted) browserStore.remove(KEY);
  else browserStore.write(KEY, reason);
}
