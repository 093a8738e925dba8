import { useEffect, useId, useRef } from "react";
import { useTranslation } from "@/runtime/react";

interface ClearDialogProps {
  isOpen: boolean;
  onCancel: () => void;
  onConfirm: () => void;
}

/** Asks before everything is taken out. The harmless answer has the focus. */
export function ClearDialog({ isOpen, onCancel, onConfirm }: ClearDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (isOpen && !element?.open) element?.showModal();
    if (!isOpen && element?.open) element.close();
  }, [isOpen]);
  return (
    <dialog
      className="dialog"
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onCancel}
    >
      <h2 className="dialog__title" id={`${id}-title`}>
        {t("cart.clearTitle")}
      </h2>
      <p id={`${id}-text`}>{t("cart.clearText")}</p>
      <div className="dialog__actions">
        <button className="button" type="button" onClick={onCancel}>
          {t("cart.clearCancel")}
        </button>
        <button className="button button--danger" type="button" onClick={onConfirm}>
          {t("cart.clear")}
        </button>
      </div>
    </dialog>
  );
}
