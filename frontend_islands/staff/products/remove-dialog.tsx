import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AdminProductRow } from "@/api/types";
import { toast } from "@/lib/toast";
import { Confirm } from "../shared/dialog";
import { toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { sendBulk } from "./calls";
import { useRestore } from "./use-restore";
import words from "./words.json";

const t = translate(words);
const NAMED = 8;

interface RemoveDialogProps {
  rows: AdminProductRow[];
  trashDays: number;
  onClose: () => void;
  onDone: () => void;
}

/** Asks, says what it does and to which products, and offers to take it back. */
export function RemoveDialog({ rows, trashDays, onClose, onDone }: RemoveDialogProps) {
  const client = useQueryClient();
  const restore = useRestore();
  const ids = rows.map((row) => row.id);
  const removal = useMutation({
    mutationFn: () => sendBulk({ ids, action: "delete" }),
    onSuccess: ({ count }) => {
      toast({
        kind: "success",
        title: count === 1 ? t("removedOne") : t("removed", { count }),
        action: { label: t("undo"), run: () => void restore(ids, onDone) },
      });
      onDone();
    },
    onError: (error) => {
      const title = rows.length === 1 ? t("removeOneFailed") : t("removeFailed");
      toastProblem(title, error);
      // It may have been done: no answer came.
      void client.invalidateQueries({ queryKey: ["products"] });
      onClose();
    },
  });
  const count = rows.length;
  return (
    <Confirm
      title={t("removeTitle", { count })}
      text={
        <>
          <p>{t("removeText", { count })}</p>
          <ul className="product-names">
            {rows.slice(0, NAMED).map((row) => (
              <li key={row.id}>{row.name}</li>
            ))}
            {count > NAMED && <li>…</li>}
          </ul>
          <p className="muted">{t("removeMeaning", { days: trashDays })}</p>
        </>
      }
      action={t("remove")}
      isDangerous
      isBusy={removal.isPending}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}
