/** The page's own way back leads to the list as it was left: with its filters, its search, its page. */
import { tabStore } from "@/lib/storage";

/** Before the address of a list; with `back`, before that of a page that a list led to. */
export const LEFT_KEY = "staff-list:";

/** The page of the shop that led to this one. */
export function cameFrom(): URL | undefined {
  const from = document.referrer ? new URL(document.referrer) : undefined;
  return from?.origin === location.origin ? from : undefined;
}

export function keepWayBack(): void {
  const link = document.querySelector<HTMLAnchorElement>("a.staff-head__back");
  if (!link || link.search) return;
  const way = `back${location.pathname}`;
  const from = cameFrom();
  const isMade = from?.pathname === `${link.pathname}/nouveau`;
  if (from?.pathname === link.pathname) tabStore.write(LEFT_KEY + way, from.search);
  // What was just made leads back to where it was begun from.
  else if (isMade) tabStore.write(LEFT_KEY + way, tabStore.read(`${LEFT_KEY}back${from.pathname}`) ?? "");
  // A form of the page leads back to the page.
  else if (!from?.pathname.startsWith(location.pathname)) tabStore.remove(LEFT_KEY + way);
  link.search = tabStore.read(LEFT_KEY + way) ?? "";
}

/** The address of the list as it was left, for a page that leads back to it by itself; `done` says what was done. */
export function leftList(list: string, done: Record<string, string> = {}): string {
  const link = document.querySelector<HTMLAnchorElement>("a.staff-head__back");
  const address = new URL(list, location.href);
  if (link?.pathname === address.pathname) address.search = link.search;
  for (const [name, value] of Object.entries(done)) address.searchParams.set(name, value);
  return address.pathname + address.search;
}
