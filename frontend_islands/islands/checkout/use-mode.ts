import { useEffect, useState } from "react";
import { toast } from "@/lib/toast";
import type { PaymentMode, Quote } from "@/purchase/types";
import { useTranslation } from "@/runtime/react";

/**
 * How the customer pays. A cart that became too small for instalments is paid at once, and the customer told: another
 * country or price may have changed its total.
 */
export function useMode(offered: readonly PaymentMode[], quote: Quote | null) {
  const { t } = useTranslation();
  const [mode, setMode] = useState<PaymentMode>(offered[0] ?? "full");
  const minimum = quote && !quote.installments.available ? quote.installments.minimum : null;
  const isTooSmall = mode === "installments" && minimum !== null;

  useEffect(() => {
    if (!isTooSmall) return;
    setMode("full");
    toast({
      kind: "error",
      title: t("checkout.minimumTitle"),
      text: t("checkout.minimumText", { minimum: Number(minimum) }),
    });
  }, [isTooSmall, minimum, t]);

  return [isTooSmall ? "full" : mode, setMode] as const;
}
