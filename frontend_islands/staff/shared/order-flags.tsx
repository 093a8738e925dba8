/** What is to be done about an order, as marks beside it. */
export type FlagWords = Record<string, string>;

const URGENT = new Set(["late", "refund_failed", "review"]);

export function OrderFlags({ flags, words }: { flags: string[]; words: FlagWords }) {
  return flags.map((flag) => (
    <span key={flag} className={URGENT.has(flag) ? "order-flag order-flag--urgent" : "order-flag"}>
      {words[flag] ?? flag}
    </span>
  ));
}
