/** Forms that the server draws: leaving with unsaved words asks first, and a button says that it works. */
export function watchForms(): void {
  let isDirty = document.querySelector("form[data-unsaved]") !== null;
  let putBack = (_wasStopped: boolean) => {};
  document.addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-staff-form]")) isDirty = true;
  });
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    const wasDirty = isDirty;
    isDirty = false;
    const { target, submitter } = event;
    if (!(target instanceof HTMLFormElement && submitter)) return;
    // A second press while the first travels is none.
    if (target.dataset.sent) {
      event.preventDefault();
      return;
    }
    target.dataset.sent = "yes";
    const words = [...submitter.childNodes];
    if (target.dataset.busy) submitter.textContent = target.dataset.busy;
    putBack = (wasStopped) => {
      delete target.dataset.sent;
      submitter.replaceChildren(...words);
      if (wasStopped) isDirty = wasDirty;
    };
  });
  // The browser came back to the page, or stayed on it: Escape stops what is on its way.
  addEventListener("pageshow", () => putBack(false));
  (globalThis as { navigation?: EventTarget }).navigation?.addEventListener("navigateerror", () =>
    putBack(true),
  );
  addEventListener("beforeunload", (event) => {
    if (isDirty) event.preventDefault();
  });
}
