/** Writing into a field of Markdown as if it were typed: the browser can undo it. */
import { insert } from "../shared/paste";

/** Puts the selected words, or `words`, between two marks. */
export function wrap(field: HTMLTextAreaElement, mark: string, words: string): void {
  const chosen = field.value.slice(field.selectionStart, field.selectionEnd);
  // A double click takes the blank behind a word along on Windows: marks beside one mark nothing.
  const [before = "", after = ""] = [/^\s*/, /\s*$/].map((blank) => chosen.match(blank)?.[0]);
  insert(field, chosen.trim() ? `${before}${mark}${chosen.trim()}${mark}${after}` : `${mark}${words}${mark}`);
}

/** Begins each selected line with a mark. */
export function prefixLines(field: HTMLTextAreaElement, mark: string): void {
  const start = field.value.lastIndexOf("\n", field.selectionStart - 1) + 1;
  field.setSelectionRange(start, field.selectionEnd);
  const lines = field.value.slice(start, field.selectionEnd).split("\n");
  insert(field, lines.map((line) => `${mark}${line}`).join("\n"));
}

/** Writes a paragraph of its own behind the selection. */
export function asBlock(field: HTMLTextAreaElement, text: string): void {
  field.setSelectionRange(field.selectionEnd, field.selectionEnd);
  const before = field.value.slice(0, field.selectionEnd);
  const after = field.value.slice(field.selectionEnd);
  const gapBefore = before.trim() ? "\n".repeat(Math.max(0, 2 - trailing(before))) : "";
  const gapAfter = after.trim() ? "\n".repeat(Math.max(0, 2 - leading(after))) : "\n";
  insert(field, `${gapBefore}${text}${gapAfter}`);
}

/** A picture with its text alternative and its caption. Signs that would end them early are written so that they do not. */
export function pictureMarkdown(url: string, alt: string, caption: string): string {
  const words = alt.trim().replace(/[[\]\\]/g, "\\$&");
  const title = caption.trim().replace(/["\\]/g, "\\$&");
  return `![${words}](${url}${title && ` "${title}"`})`;
}

const trailing = (text: string) => text.length - text.replace(/\n+$/, "").length;
const leading = (text: string) => text.length - text.replace(/^\n+/, "").length;
