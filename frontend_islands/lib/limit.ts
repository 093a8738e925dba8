/** How long a call may take that nothing else ends: the server answers within twelve seconds, lines are slow. */
const LONGEST_MS = 30_000;
/** The characters or bytes that a slow line takes in a millisecond. */
const SLOWEST = 5;

/** The milliseconds for a call that sends so many characters or bytes. */
export function longest(length = 0): number {
  return LONGEST_MS + Math.ceil(length / SLOWEST);
}

/** Ends a call after that time, or with `outer`: `AbortSignal.any` is missing in Firefox before 124, Safari before 17.4. */
export function inLimit(outer: AbortSignal | undefined, length = 0): AbortSignal {
  const limit = AbortSignal.timeout(longest(length));
  if (!outer) return limit;
  const controller = new AbortController();
  for (const signal of [outer, limit]) {
    const end = () => controller.abort(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  }
  return controller.signal;
}
