import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Keyboards go on where they were: when the control that has the focus leaves `area`, the one that stands before its
 * place takes it over. Not the one in its place: a key that is held a moment too long would press that as well.
 * Who pressed it with a finger or a mouse stays where they look: the page moves for keyboards alone.
 * Returns what the area listens with.
 */
export function useKeptFocus(area: RefObject<HTMLElement | null>) {
  const last = useRef<{ control: HTMLElement; place: number; isByKey: boolean }>(undefined);
  const controls = () => [
    ...(area.current?.querySelectorAll<HTMLElement>("button, a[href], input, select, textarea, summary") ??
      []),
  ];
  useLayoutEffect(() => {
    if (!last.current || last.current.control.isConnected || document.activeElement !== document.body) return;
    const { place, isByKey } = last.current;
    last.current = undefined;
    // What is in a closed part takes none.
    controls()
      .slice(0, Math.max(1, place))
      .reverse()
      .some((control) => {
        control.focus({ preventScroll: !isByKey });
        return control === document.activeElement;
      });
  });
  return {
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      const isByKey = target.matches(":focus-visible");
      last.current = { control: target, place: controls().indexOf(target), isByKey };
    },
    // React hears nothing of what leaves the page: this is somebody who went elsewhere, or a button that is switched
    // off while it does what it says.
    onBlur: ({ target }: FocusEvent<HTMLElement>) => {
      if (!target.matches(":disabled")) last.current = undefined;
    },
  };
}
