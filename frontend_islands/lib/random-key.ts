/** 128 random bits. Unlike `crypto.randomUUID` it also exists on a page without TLS, such as a test machine's. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
