/**
 * What pages drawn by the server say in attributes:
 *
 *   <form data-confirm="Supprimer ?">  asks before it is sent
 *   <button data-print>                prints the page
 */
export function enhancePages(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const question = (event.submitter as HTMLElement | null)?.dataset.confirm ?? form.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });
  document.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("[data-print]")) window.print();
  });
}
