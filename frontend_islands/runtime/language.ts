/** Remembers the language that the visitor chose. Without storage the question comes back: nothing else is lost. */
export function keepLanguage(code: string): void {
  try {
    localStorage.setItem("language", code);
  } catch {}
}
