/**
 * Parts of pages that the server draws alone. The one place where text becomes markup: it is always the answer of
 * this shop's own server to a request made here, where Django escaped what people wrote.
 */

import { inLimit } from "./limit";

/**
 * Asks for a part of the page at `address`. Raises `Error` for any answer that is not just that part, and for none within
 * thirty seconds.
 */
export async function fetchFragment(address: URL, part: string, signal: AbortSignal): Promise<string> {
  if (address.origin !== location.origin) throw new Error(`${address.origin} is another shop.`);
  const response = await fetch(address, {
    headers: { Accept: "text/html", "X-Fragment": part },
    // Never cached under the page's own address, where going back would find it instead of the page.
    cache: "no-store",
    signal: inLimit(signal),
  });
  const html = await response.text();
  const isHtml = response.headers.get("Content-Type")?.startsWith("text/html");
  if (!response.ok || response.redirected || !isHtml || /<html\b/i.test(html)) {
    throw new Error(`${address.pathname} answered ${response.status} and no "${part}".`);
  }
  return html;
}

/** Puts a part in place of the element's content. Islands in it come to life by themselves. */
export function showFragment(element: HTMLElement, html: string): void {
  element.innerHTML = html;
}

/** Puts each part of a drawn fragment in the place of the part of the same name (`data-part`) on the page. */
export function replaceParts(html: string): void {
  const drawn = document.createElement("template");
  drawn.innerHTML = html;
  for (const part of drawn.content.querySelectorAll<HTMLElement>("[data-part]")) {
    document.querySelector(`[data-part="${part.dataset.part}"]`)?.replaceWith(part);
  }
}
