import { useCallback, useEffect, useState } from "react";
import type { VerifyAnswer } from "@/api/types";
import { type ApiProblem, getJson } from "@/lib/api";
import { asProblem, inTime } from "@/purchase/calls";

/** What is known of the payment. `waiting`: it may still be confirmed, later than one likes to watch. */
export type Verification =
  | { state: "verifying" }
  | { state: "waiting" }
  | { state: "paid" | "refunded" | "failed" | "expired"; answer: VerifyAnswer }
  | { state: "unknown" }
  | { state: "error"; problem: ApiProblem };

/** The pauses between questions while the provider has not decided: half a minute in all. */
const PAUSES_MS = [2_000, 3_000, 4_000, 6_000, 7_000, 8_000];

/**
 * Asks the server about a payment until it is decided or the pauses are used up; `again` starts over. Nothing is
 * asked about one that the page knows to be paid.
 */
export function useVerification(
  checkoutSessionId: string,
  isPaid: boolean,
): [Verification, again: () => void] {
  const [verification, setVerification] = useState<Verification>(
    isPaid
      ? { state: "paid", answer: { payment_status: "paid" } }
      : { state: checkoutSessionId ? "verifying" : "unknown" },
  );
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks about the same payment
  useEffect(() => {
    if (!checkoutSessionId || isPaid) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (round: number) => {
      const found = await verify(checkoutSessionId, controller.signal);
      if (controller.signal.aborted) return;
      const pause = PAUSES_MS[round];
      if (found.state === "waiting" && pause !== undefined) timer = setTimeout(() => ask(round + 1), pause);
      else setVerification(found);
    };
    void ask(0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [checkoutSessionId, isPaid, attempt]);

  const again = useCallback(() => {
    setVerification({ state: "verifying" });
    setAttempt((count) => count + 1);
  }, []);
  return [verification, again];
}

async function verify(checkoutSessionId: string, signal: AbortSignal): Promise<Verification> {
  const path = `/api/checkout/verify?session_id=${encodeURIComponent(checkoutSessionId)}`;
  try {
    const answer = await inTime((inner) => getJson<VerifyAnswer>(path, { signal: inner }), signal);
    if (answer.refunded) return { state: "refunded", answer };
    switch (answer.payment_status) {
      case "paid":
      case "failed":
      case "expired":
        return { state: answer.payment_status, answer };
      case "pending":
        return { state: "waiting" };
      default:
        // Not an answer of this API: nothing may be concluded from it.
        return { state: "error", problem: asProblem(answer) };
    }
  } catch (error) {
    const problem = asProblem(error);
    return problem.code === "unknown_session" ? { state: "unknown" } : { state: "error", problem };
  }
}
