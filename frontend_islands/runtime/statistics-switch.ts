/** The box on the privacy page by which a visitor is counted or not. */
import { browserObjects, isCounted, setCounted } from "@/lib/statistics-choice";

export function enhanceSwitch(): void {
  for (const box of document.querySelectorAll<HTMLInputElement>("[data-statistics-switch]")) {
    box.checked = isCounted();
    // The browser's own setting holds for every site: there is nothing left to choose.
    box.disabled = browserObjects();
    box.addEventListener("change", () => setCounted(box.checked));
  }
}
