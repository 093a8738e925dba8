/**
 * For pages whose form changes the session it is sent with: what a double click sends again has the session of before,
 * and its answer, the one that is shown, would say that the link was used or that nobody is signed in.
 */

/** Long enough for a slow answer; who stopped the first press can press again without loading the page. */
const PAUSE_MS = 5000;

let sent: EventTarget | null = null;
let since = 0;

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (event.target === sent && event.timeStamp - since < PAUSE_MS) {
    event.preventDefault();
    return;
  }
  sent = event.target;
  since = event.timeStamp;
});
// One comes back to a page to send its form again.
addEventListener("pageshow", () => {
  sent = null;
});
