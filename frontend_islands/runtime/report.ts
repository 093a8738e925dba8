/** Tells the server what broke in the browser. */

const ENDPOINT = "/api/client-errors";
/** A page that fails in a loop says so a few times, not for ever. */
const MOST_PER_PAGE = 5;
const LONGEST_MESSAGE = 500;
const LONGEST_STACK = 2000;

let sent = 0;

/**
 * From now on sends a short report of every error that nobody caught, and of every one given to the browser's
 * own `reportError`: what it says, its cause, the page's path (never its query) and language.
 */
export function reportToServer(): void {
  addEventListener("error", ({ error }) => send(error));
  addEventListener("unhandledrejection", ({ reason }) => send(reason));
}

function send(error: unknown): void {
  if (!(error instanceof Error) || sent >= MOST_PER_PAGE) return;
  sent += 1;
  const { cause = error } = error;
  const report = {
    message: [...new Set([error, cause])].join(" ").slice(0, LONGEST_MESSAGE),
    stack: (cause as Error).stack?.slice(0, LONGEST_STACK),
    path: location.pathname,
    language: document.documentElement.lang,
  };
  navigator.sendBeacon(ENDPOINT, JSON.stringify(report));
}
