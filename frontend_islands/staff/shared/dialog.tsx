import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "@/lib/icon";
import { useLeaveWarning } from "./drafts";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons, the one that does it last. */
  actions?: ReactNode;
  /** While something is being done: it can't be closed. */
  isBusy?: boolean;
  /** What is typed in it, as JSON can write it: closing asks before it drops a change. */
  typed?: unknown;
  /** Why nothing was done: each leads to the first field that is wrong. */
  refusal?: unknown;
}

/**
 * A dialog over the page, a sheet from below on a phone; Escape closes it, and focus returns to where it was. Focus
 * begins at what is marked `data-autofocus`, else at the first control; another title is another view, which is read
 * from its heading on.
 */
export function Dialog({ title, onClose, children, actions, isBusy = false, typed, refusal }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const now = JSON.stringify(typed);
  const opened = useRef(now);
  const isTyped = now !== opened.current;
  useLeaveWarning(isTyped);
  const close = () => {
    if (!isTyped || window.confirm(t("drop"))) onClose();
  };
  // Closed while it still stands in the page: the browser gives no focus back from a dialog that has left it.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would begin at the button that closes it.
    element?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      if (!element) return;
      element.close();
      // What opened it may be gone by then, as a row that it removed, or go with the answer, as a step that is done: the
      // dialog below is read from its heading on, the page from its content on.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
      });
      const focused = document.activeElement;
      if (focused !== document.body && !element.contains(focused)) return;
      element.parentElement?.closest("dialog")?.querySelector("h2")?.focus();
    };
  }, []);
  const shownTitle = useRef(title);
  useLayoutEffect(() => {
    if (shownTitle.current === title) return;
    shownTitle.current = title;
    dialog.current?.querySelector("h2")?.focus();
  }, [title]);
  useLayoutEffect(() => {
    if (refusal) dialog.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal]);
  return (
    <dialog
      ref={dialog}
      className="staff-dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        // Not that of a chooser of files, nor of a dialog over this one: they bubble.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!isBusy) close();
      }}
    >
      <div className="staff-dialog__head">
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        <button
          className="staff-dialog__close"
          type="button"
          onClick={close}
          disabled={isBusy}
          aria-label={t("close")}
        >
          <Icon name="close" />
        </button>
      </div>
      <div className="staff-dialog__body">{children}</div>
      {actions && (
        <footer className="staff-dialog__actions" onClickCapture={dropSecondHalf}>
          {actions}
        </footer>
      )}
    </dialog>
  );
}

/** The second half of a double click falls on the button that has come up, which does what nobody has read. */
function dropSecondHalf(event: MouseEvent) {
  if (event.detail < 2) return;
  event.preventDefault();
  event.stopPropagation();
}

interface ConfirmProps {
  title: string;
  /** What it will do, in a sentence. */
  text: ReactNode;
  action: string;
  /** What it returns is waited for: a second press meanwhile is none. */
  onConfirm: () => unknown;
  onClose: () => void;
  isBusy?: boolean;
  isDangerous?: boolean;
}

/** Asks before something that can't be taken back. */
export function Confirm({ title, text, action, onConfirm, onClose, isDangerous, ...given }: ConfirmProps) {
  const [isRunning, setRunning] = useState(false);
  const isBusy = isRunning || Boolean(given.isBusy);
  const confirm = async () => {
    setRunning(true);
    try {
      await onConfirm();
    } finally {
      setRunning(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      isBusy={isBusy}
      actions={
        <>
          <button className="button" type="button" onClick={onClose} disabled={isBusy}>
            {t("cancel")}
          </button>
          <button
            className={isDangerous ? "button button--danger" : "button button--primary"}
            type="button"
            onClick={() => void confirm()}
            aria-busy={isBusy}
            disabled={isBusy}
          >
            {action}
          </button>
        </>
      }
    >
      {typeof text === "string" ? <p>{text}</p> : text}
    </Dialog>
  );
}
