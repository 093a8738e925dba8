/**
 * Short notices, one at a time, in the region `<div id="toasts" popover="manual" data-close="…">` of every page.
 * A success leaves after six seconds, unless it is being pointed at or read; an error stays until it is closed.
 */

export interface Toast {
  kind: "success" | "error" | "info";
  title: string;
  text?: string;
  link?: { href: string; label: string };
  /** Something to do about it, such as undoing it; done once, the notice closes. */
  action?: { label: string; run: () => void };
}

const STAYS_MS = 6000;

let leave: (() => void) | undefined;

/** Shows a notice in place of the one that may be there. */
export function toast(notice: Toast): void {
  const region = document.getElementById("toasts");
  if (!region) return;
  leave?.();
  // On a phone it stands below the header, whose cart and menu it would cover.
  const header = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
  region.style.setProperty("--below", `${Math.max(0, header)}px`);
  // Opened first: a live region announces what is added to it while it is shown.
  region.showPopover?.();
  const box = draw(notice, region.dataset.close ?? "");
  region.append(box);

  let timer: ReturnType<typeof setTimeout> | undefined;
  const stay = () => clearTimeout(timer);
  const close = () => {
    stay();
    box.remove();
    if (leave === close) leave = undefined;
    if (!region.querySelector(".toast")) region.hidePopover?.();
  };
  leave = close;
  box.querySelector(".toast__close")?.addEventListener("click", close);
  box.querySelector(".toast__action")?.addEventListener("click", () => {
    close();
    notice.action?.run();
  });
  if (notice.kind === "error") return;
  const wait = () => {
    stay();
    timer = setTimeout(close, STAYS_MS);
  };
  box.addEventListener("pointerenter", stay);
  box.addEventListener("focusin", stay);
  box.addEventListener("pointerleave", wait);
  box.addEventListener("focusout", wait);
  wait();
}

function draw({ kind, title, text, link, action }: Toast, closeLabel: string): HTMLElement {
  const box = element("div", `toast toast--${kind}`);
  box.setAttribute("role", kind === "error" ? "alert" : "status");
  const body = element("div", "toast__body");
  body.append(element("p", "toast__title", title));
  if (text) body.append(element("p", "toast__text", text));
  if (link) {
    const anchor = element("a", "toast__link", link.label);
    anchor.setAttribute("href", link.href);
    body.append(anchor);
  }
  if (action) body.append(button("toast__action", action.label));
  const close = button("toast__close", "×");
  close.setAttribute("aria-label", closeLabel);
  box.append(body, close);
  return box;
}

function button(className: string, text: string): HTMLElement {
  const made = element("button", className, text);
  made.setAttribute("type", "button");
  return made;
}

function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
