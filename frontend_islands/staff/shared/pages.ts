/**
 * What pages drawn by the server say in attributes:
 *
 *   <form data-confirm="Supprimer ?">  asks before it is sent
 *   <button data-print>                prints the page
 *   <button data-copy="id" hidden>     copies the text of that element; shown where copying works
 */
export function enhancePages(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const question = (event.submitter as HTMLElement | null)?.dataset.confirm ?? form.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });
  document.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("[data-print]")) window.print();
    const copy = (target as Element).closest<HTMLElement>("[data-copy]");
    if (copy) void copyText(copy);
  });
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll<HTMLElement>("[data-copy]")) button.hidden = false;
}

async function copyText(button: HTMLElement): Promise<void> {
  const source = document.getElementById(button.dataset.copy ?? "");
  const live = document.getElementById("live");
  try {
    await navigator.clipboard.writeText(source?.textContent?.trim() ?? "");
    if (live) live.textContent = "Copié";
    button.classList.add("is-copied");
  } catch {
    if (live) live.textContent = "La copie n'a pas fonctionné : sélectionnez le texte.";
  }
}
