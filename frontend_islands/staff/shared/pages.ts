/**
 * What pages drawn by the server say in attributes:
 *
 *   <form data-confirm="Supprimer ?">  asks before it is sent
 *   <button data-print>                prints the page
 *   <div data-once="cree">             is there because the address has that word: it leaves the address, so that
 *                                      neither reloading nor going back says it again
 *
 * and Ctrl K or ⌘ K for the search, until its island is there and hears it itself. The navigation beside the page,
 * longer than most screens, shows the link of the open page.
 */
export function enhancePages(): void {
  const open = document.querySelector<HTMLElement>(".staff-side [aria-current]");
  const side = open?.closest(".staff-side");
  // Only where it is out of sight. Not by `scrollIntoView`, which moves the page as well.
  if (open && side && open.offsetTop + open.offsetHeight > side.clientHeight)
    side.scrollTop = open.offsetTop - side.clientHeight / 2;
  // Where the address names a part of the page, browsers go there instead, until all is loaded.
  if (location.hash)
    addEventListener("load", () => document.querySelector<HTMLElement>("main [autofocus]")?.focus());
  for (const { dataset } of document.querySelectorAll<HTMLElement>("[data-once]")) {
    const address = new URL(location.href);
    address.searchParams.delete(dataset.once ?? "");
    history.replaceState(history.state, "", address);
  }
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const question = (event.submitter as HTMLElement | null)?.dataset.confirm ?? form.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });
  document.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("[data-print]")) window.print();
  });
  document.addEventListener("keydown", (event) => {
    const island = document.querySelector('x-island[name="staff-palette"]:not([state="ready"])');
    if (!island || event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    const button = island.querySelector<HTMLElement>("[data-replay]");
    button?.focus();
    button?.click();
  });
}
