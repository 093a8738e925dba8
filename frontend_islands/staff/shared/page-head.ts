/**
 * The head of a page, which the server drew, follows what was saved: the name of what is edited, and the link to where
 * visitors see it, "" while they don't.
 */
export function showHead(name: string, url: string): void {
  const title = document.querySelector(".staff-head__title");
  if (!title) return;
  document.title = document.title.replace(title.textContent, () => name);
  for (const each of [title, ...document.querySelectorAll(".staff-path [aria-current]")]) {
    each.textContent = name;
  }
  const link = document.querySelector<HTMLAnchorElement>(".staff-head__tools [data-shop-link]");
  if (!link) return;
  link.hidden = url === "";
  if (url) link.href = url;
}
