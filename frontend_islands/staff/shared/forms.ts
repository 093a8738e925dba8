/** Forms that the server draws: leaving with unsaved words asks first, and a button says that it works. */
export function watchForms(): void {
  let isDirty = false;
  document.addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-staff-form]")) isDirty = true;
  });
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    isDirty = false;
    const { target, submitter } = event;
    if (!(target instanceof HTMLFormElement && submitter)) return;
    const busy = target.dataset.busy;
    if (busy && !target.dataset.sent) {
      const words = [...submitter.childNodes];
      addEventListener("pageshow", () => submitter.replaceChildren(...words), { once: true });
      submitter.textContent = busy;
    }
    // A second press while the first travels is none; the browser's own return to the page forgets it.
    if (target.dataset.sent) event.preventDefault();
    target.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll<HTMLFormElement>("form[data-sent]"))
      delete form.dataset.sent;
  });
  addEventListener("beforeunload", (event) => {
    if (isDirty) event.preventDefault();
  });
}
