import { ApiProblem } from "@/lib/api";

/** How long an answer may take. */
const LONGEST_MS = 15_000;

/**
 * Makes a call that is given up after fifteen seconds, which is then the same problem as no answer at all
 * (`network`). `outer` calls it off, silently as far as the server is concerned: an `AbortError`.
 */
export async function inTime<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  outer?: AbortSignal,
): Promise<Answer> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  outer?.addEventListener("abort", stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new ApiProblem(0, "network", ""));
      stop();
    }, LONGEST_MS);
  });
  try {
    return await Promise.race([call(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}

/** Whatever was thrown, as a problem that can be shown. */
export function asProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, "unexpected", "");
}
