import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);
const WORDS: Record<string, string> = {
  late: t("flags.late"),
  review: t("flags.review"),
  refund_failed: t("flags.refund_failed"),
  withdrawal: t("flags.withdrawal"),
  money: t("flags.money"),
  partly_sent: t("flags.partly_sent"),
};
const URGENT = new Set(["late", "refund_failed", "review"]);

/** What is to be done about an order, as marks beside it. */
export function OrderFlags({ flags }: { flags: string[] }) {
  return flags.map((flag) => (
    <span key={flag} className={URGENT.has(flag) ? "order-flag order-flag--urgent" : "order-flag"}>
      {WORDS[flag] ?? flag}
    </span>
  ));
}
