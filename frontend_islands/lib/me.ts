/** Who the visitor is. Pages are the same for everybody, so the browser asks. */
import type { Me } from "@/api/types";
import { longest } from "./limit";

let asked: Promise<Me> | undefined;

/** Asks `/api/me` once a page; a failed question may be asked again. */
export function fetchMe(): Promise<Me> {
  asked ??= fetch("/api/me", {
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(longest()),
  }).then((response) => {
    if (!response.ok) throw new Error(`/api/me answered ${response.status}.`);
    return response.json() as Promise<Me>;
  });
  asked.catch(forgetMe);
  return asked;
}

/** After signing in or out: the next question goes to the server again. */
export function forgetMe(): void {
  asked = undefined;
}

/** Whether this browser was signed in: a hint that the server sets, so that others are not asked at all. */
export function mayBeMember(): boolean {
  return /(^|;\s*)member=1(;|$)/.test(document.cookie);
}
