/**
 * A control that is switched off while it does what it says has the focus back once it is on again, unless somebody went
 * elsewhere: browsers take the focus from it, and give none back.
 */
export function keepFocusOfBusy(): void {
  let busy: HTMLElement | undefined;
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (target.matches(":disabled")) {
        if (target === document.activeElement) busy = target;
      } else if (target === busy) {
        busy = undefined;
        if (document.activeElement === document.body) target.focus({ preventScroll: true });
      }
    }
  }).observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
}
