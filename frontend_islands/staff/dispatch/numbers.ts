/** What a carrier's file says: a reference and a number a line, with tabs, semicolons or commas between. */
interface Numbered {
  reference: string;
  number: string;
  /** The line as it was pasted. */
  text: string;
}

export function readNumbers(pasted: string): Numbered[] {
  return pasted
    .split(/\r?\n/)
    .filter((text) => text.trim())
    .map((text) => {
      // A cell may have a comma of its own.
      const separator = ["\t", ";"].find((sign) => text.includes(sign)) ?? ",";
      const [reference = "", number = ""] = text.split(separator).map(unquote);
      return { reference: readReference(reference), number, text };
    });
}

/** A reference as the shop writes it, from what was typed or scanned. */
export function readReference(text: string): string {
  return text.trim().replace(/^#/, "").toUpperCase();
}

function unquote(text: string): string {
  return text
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();
}
