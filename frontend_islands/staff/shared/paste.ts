/** Words that are pasted into a field of Markdown. */

/** Replaces what is selected; what was written is not selected afterwards. */
export function insert(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // The only way that the browser can undo; not everywhere.
  if (document.execCommand?.("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
}

/** Text of a document, whose paragraphs end with a line each, as Markdown separates them; of anything else nothing. */
export function paragraphsOf(html: string, text: string): string {
  const lines = text.trim();
  const isDocument = /<\/p>/i.test(html) && lines.includes("\n") && !/\n\s*\n/.test(lines);
  return isDocument ? lines.replace(/\s*\n/g, "\n\n") : "";
}

/** What is pasted from a document into a field of the page has its paragraphs; the editor of articles sees to its own. */
export function pasteParagraphs(): void {
  document.addEventListener("paste", (event) => {
    const { target: field, clipboardData: data } = event;
    if (!(field instanceof HTMLTextAreaElement && "markdown" in field.dataset && data)) return;
    const text = paragraphsOf(data.getData("text/html"), data.getData("text/plain"));
    if (!text) return;
    event.preventDefault();
    insert(field, text);
  });
}
