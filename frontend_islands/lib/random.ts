/** 128 random bits in hexadecimal. `crypto.randomUUID` is missing on pages without TLS, such as a test machine's. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
