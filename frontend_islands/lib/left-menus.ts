/** Closes a menu without the focus: it would cover what the keyboard reaches next (WCAG 2.4.11). */
export function closeLeftMenu(): void {
  // `:is` forgives: Firefox below 125 knows no popover.
  document.querySelector<HTMLElement>(":is(:popover-open):not(.toasts,:focus-within)")?.hidePopover();
}
