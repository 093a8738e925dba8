/** `<button data-copy="id" hidden>` copies the text of that element; the button shows where copying works. */
export function enableCopying(): void {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll<HTMLElement>("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copyText(button));
  }
}

async function copyText(button: HTMLElement): Promise<void> {
  const source = document.getElementById(button.dataset.copy ?? "");
  let said = "Copié";
  try {
    await navigator.clipboard.writeText(source?.textContent?.trim() ?? "");
    button.classList.add("is-copied");
  } catch {
    said = "La copie n'a pas fonctionné\u00a0: sélectionnez le texte.";
  }
  const live = document.getElementById("live");
  if (live) live.textContent = said;
}
