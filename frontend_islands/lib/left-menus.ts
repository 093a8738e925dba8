/**
 * Closes a menu that the keyboard left: it would cover what is reached next (WCAG 2.4.11). What a pointer presses, the
 * browser sees to: closed here, the menu's own button would open it again.
 */
export function closeLeftMenu(): void {
  // `:is` forgives: Firefox below 125 knows no popover.
  document
    .querySelector<HTMLElement>(":root:has(:focus-visible) :is(:popover-open):not(.toasts,:focus-within)")
    ?.hidePopover();
}
