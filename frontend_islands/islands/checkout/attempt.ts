/**
 * One key for one demand: a second click, a retry after a lost answer or a reload of the page send the key again
 * and get the same order. What asks for something else gets a key of its own.
 */
import { ATTEMPT_KEY, dropSession, readSession, writeSession } from "@/purchase/session";

/** The `Idempotency-Key` of a demand, which is anything that JSON can write; no password belongs in it. */
export function keyFor(demand: unknown): string {
  const mark = digest(JSON.stringify(demand));
  const kept = Object(readSession(ATTEMPT_KEY)) as { key?: unknown; mark?: unknown };
  if (kept.mark === mark && typeof kept.key === "string") return kept.key;
  const key = randomKey();
  writeSession(ATTEMPT_KEY, { key, mark });
  return key;
}

/** The next click makes a new order. */
export function dropAttempt(): void {
  dropSession(ATTEMPT_KEY);
}

/** 128 random bits. Unlike `crypto.randomUUID` it also exists on a page without TLS, such as a test machine's. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** 53 bits that tell two demands apart (cyrb53); nothing depends on them being hard to forge. */
function digest(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
