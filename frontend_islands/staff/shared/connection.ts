/** Says when the machine is offline, on every page of the staff area, and when it is back. */
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);

export function watchConnection(): void {
  const bar = document.createElement("p");
  bar.className = "staff-offline";
  bar.setAttribute("role", "status");
  const show = () => {
    bar.textContent = navigator.onLine ? "" : t("offline");
    bar.hidden = navigator.onLine;
  };
  document.body.prepend(bar);
  show();
  addEventListener("online", show);
  addEventListener("offline", show);
}
