/** Making something once, though its answer was lost and it is sent again. */
import { useState } from "react";
import { ApiProblem, postJson } from "@/lib/api";
import { randomKey } from "@/lib/random-key";

/** `keptKey` is that of a draft, which was perhaps sent before its page was left. */
export function useCreation(keptKey?: string) {
  return useState(() => new Creation(keptKey))[0];
}

class Creation {
  /** Of what is being made: a draft keeps it. */
  key: string;

  constructor(keptKey = "") {
    this.key = keptKey || randomKey();
  }

  /** What comes next is something else. */
  renew(): void {
    this.key = randomKey();
  }

  async post<Answer>(path: string, body: unknown): Promise<Answer> {
    try {
      return await postJson<Answer>(path, body, { headers: { "Idempotency-Key": this.key } });
    } catch (error) {
      // The first arrived, and was another: whoever has read that may go on.
      if (error instanceof ApiProblem && error.code === "idempotency_mismatch") this.renew();
      throw error;
    }
  }
}
