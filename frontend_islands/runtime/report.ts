/** Tells the server that something broke in the browser. */

const ENDPOINT = "/api/client-errors";
/** A page that fails in a loop says so a few times, not for ever. */
const MOST_PER_PAGE = 5;
const LONGEST_STACK = 2000;

let sent = 0;

/** Sends a short report: which part failed, the error, the page's path (never its query) and language. */
export function reportError(part: string, error: unknown): void {
  if (sent >= MOST_PER_PAGE) return;
  sent += 1;
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: "" };
  const report = {
    part,
    message: message.slice(0, 500),
    stack: stack?.slice(0, LONGEST_STACK),
    path: location.pathname,
    language: document.documentElement.lang,
  };
  navigator.sendBeacon?.(ENDPOINT, JSON.stringify(report));
}
