/** Texts that outlive a page (`browserStore`) or last as long as its tab (`tabStore`). */
interface TextStore {
  read(key: string): string | null;
  write(key: string, text: string): void;
  remove(key: string): void;
  clear(): void;
}

export const browserStore = textStore(() => localStorage);
export const tabStore = textStore(() => sessionStorage);

/** Where the browser refuses storage, texts last as long as the page. */
function textStore(area: () => Storage): TextStore {
  const memory = new Map<string, string>();
  return {
    read(key) {
      try {
        return memory.get(key) ?? area().getItem(key);
      } catch {
        return memory.get(key) ?? null;
      }
    },
    write(key, text) {
      try {
        area().setItem(key, text);
        memory.delete(key);
      } catch {
        memory.set(key, text);
      }
    },
    remove(key) {
      memory.delete(key);
      try {
        area().removeItem(key);
      } catch {
        // Refused storage holds nothing.
      }
    },
    clear() {
      memory.clear();
      try {
        area().clear();
      } catch {
        // The same.
      }
    },
  };
}
