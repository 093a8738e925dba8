/** Draws an island's component as the page does: in a host, with the words of one language. */
import { act, render, screen } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { I18nextProvider } from "react-i18next";
import de from "@/locales/de.json";
import en from "@/locales/en.json";
import es from "@/locales/es.json";
import fr from "@/locales/fr.json";
import { translator } from "@/runtime/i18n";
import type { Language } from "@/runtime/language";
import { IslandScope } from "@/runtime/react";

const packs = { fr, en, es, de };

interface Options {
  language?: Language;
  /** What stood in the server's form, by field name. */
  values?: Record<string, string>;
  /** The HTML of the server's version. */
  fallback?: string;
}

interface Rendered {
  user: UserEvent;
  container: HTMLElement;
  host: HTMLElement;
  screen: typeof screen;
  unmount: () => void;
}

export async function renderIsland(
  island: ReactElement,
  { language = "fr", values = {}, fallback = "" }: Options = {},
): Promise<Rendered> {
  document.documentElement.lang = language;
  document.documentElement.dataset.icons = "/static/icons.svg";
  const words = await translator(language, packs[language]);
  const host = document.createElement("x-island");
  document.body.append(host);
  const server = document.createElement("div");
  server.innerHTML = fallback;
  const drawn = await act(async () =>
    render(
      <I18nextProvider i18n={words}>
        <IslandScope value={{ host, fallback: server, values: new Map(Object.entries(values)) }}>
          {island}
        </IslandScope>
      </I18nextProvider>,
      { container: host.appendChild(document.createElement("div")) },
    ),
  );
  return {
    user: userEvent.setup(),
    container: drawn.container as HTMLElement,
    host,
    screen,
    unmount: drawn.unmount,
  };
}
