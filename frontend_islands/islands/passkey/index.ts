/**
 * A button that asks the browser for a passkey, then posts the form it stands in.
 *
 * The form says what for (`data-passkey`: `make` or `use`) and where the server's options are (`data-options`); its
 * hidden field `credential` takes the browser's answer. What goes wrong is said in the form, in the page's language.
 */
import { fallbackOf, type Unmount } from "@/runtime/island";

export function mount(host: HTMLElement): Unmount {
  const form = fallbackOf(host)?.querySelector<HTMLFormElement>("form[data-passkey]");
  const button = form?.querySelector<HTMLButtonElement>("[data-start]");
  const message = form?.querySelector<HTMLElement>("[data-message]");
  if (!form || !button || !message) throw new Error("There is no form for a passkey.");
  button.hidden = false;

  const say = (text: string) => {
    message.textContent = text;
    message.hidden = text === "";
  };
  const start = (event: Event) => {
    event.preventDefault();
    if (button.hasAttribute("aria-disabled")) return;
    say("");
    // A button that is disabled loses the focus.
    button.setAttribute("aria-disabled", "true");
    askBrowser(form)
      .then((credential) => {
        const field = form.elements.namedItem("credential");
        if (field instanceof HTMLInputElement) field.value = JSON.stringify(credential);
        form.submit();
      })
      .catch((error: unknown) => {
        button.removeAttribute("aria-disabled");
        say(form.dataset[reasonOf(error)] ?? "");
      });
  };
  button.addEventListener("click", start);
  // The Enter key in the form's field.
  form.addEventListener("submit", start);
  return () => {
    button.removeEventListener("click", start);
    form.removeEventListener("submit", start);
    button.hidden = true;
  };
}

class Unsupported extends Error {}

/** Which of the form's sentences says why there is no passkey. */
function reasonOf(error: unknown): "unsupported" | "known" | "refused" {
  if (error instanceof Unsupported) return "unsupported";
  // The device has one of the passkeys that the server's options exclude.
  return error instanceof DOMException && error.name === "InvalidStateError" ? "known" : "refused";
}

interface Options<Key> {
  publicKey: Key;
}

async function askBrowser(form: HTMLFormElement): Promise<unknown> {
  if (typeof PublicKeyCredential?.parseCreationOptionsFromJSON !== "function") throw new Unsupported();
  const token = new FormData(form).get("csrfmiddlewaretoken");
  const answer = await fetch(form.dataset.options ?? "", {
    method: "POST",
    headers: { "X-CSRFToken": typeof token === "string" ? token : "" },
  });
  if (!answer.ok) throw new Error(`${answer.status}`);
  const options: unknown = await answer.json();
  const credential =
    form.dataset.passkey === "make"
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
            (options as Options<PublicKeyCredentialCreationOptionsJSON>).publicKey,
          ),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
            (options as Options<PublicKeyCredentialRequestOptionsJSON>).publicKey,
          ),
        });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("no passkey");
  return credential.toJSON();
}
