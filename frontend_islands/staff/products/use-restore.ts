import { toast } from "@/lib/toast";
import { toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { sendBulk } from "./calls";
import words from "./words.json";

const t = translate(words);

/** Returns what takes products out of the trash and says so; `onDone` runs also when no answer said that it was done. */
export function useRestore() {
  return async (ids: number[], onDone: () => void) => {
    try {
      const { count } = await sendBulk({ ids, action: "restore" });
      toast({ kind: "success", title: t("restored", { count }) });
    } catch (error) {
      toastProblem(t("restoreFailed"), error);
    }
    onDone();
  };
}
