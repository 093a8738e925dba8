/** Islands written with React: `export const mount = reactIsland(Component)`. */
import { type ComponentType, createContext, StrictMode, useContext, useLayoutEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { loadWords } from "./i18n";
import { fallbackOf, type Mount, replaceFallback } from "./island";

export { useTranslation } from "react-i18next";

interface IslandContext {
  host: HTMLElement;
  /** The server's version, for what it drew and the island only moves along; null where there is none. */
  fallback: HTMLElement | null;
  /**
   * What the visitor or the browser had changed in the server's fields before the island took over, by name. What
   * the server itself had filled in or chosen is not in it.
   */
  values: ReadonlyMap<string, string>;
}

const Context = createContext<IslandContext | null>(null);

/** Says where an island is; tests place their own. */
export const IslandScope = Context.Provider;

/** The island's place in the page. Throws outside `reactIsland`. */
export function useIsland(): IslandContext {
  const context = useContext(Context);
  if (!context) throw new Error("useIsland needs an island around it.");
  return context;
}

/**
 * Draws `Component` in place of the server's version.
 *
 * The server's version leaves the document in the same frame in which React's first drawing enters it (so ids and
 * field names exist once), and comes back if the component ever throws.
 */
export function reactIsland<Props extends object>(Component: ComponentType<Props>): Mount<Props> {
  return async (host, props) => {
    const words = await loadWords();
    const fallback = fallbackOf(host);
    const container = document.createElement("div");
    container.dataset.drawn = "";

    return new Promise((resolve, reject) => {
      const root = createRoot(container, {
        // React has already emptied the container. Not inside its commit: unmounting there is refused.
        onUncaughtError: (error) => queueMicrotask(() => fail(error)),
      });
      const leave = () => {
        root.unmount();
        container.remove();
        if (fallback && !fallback.isConnected) host.append(fallback);
      };
      let isReady = false;
      const fail = (error: unknown) => {
        leave();
        if (isReady) host.dispatchEvent(new CustomEvent("island:error", { detail: error }));
        else reject(error);
      };
      const ready = () => {
        if (isReady) return;
        isReady = true;
        if (fallback) replaceFallback(fallback, container);
        resolve(leave);
      };
      host.append(container);
      root.render(
        <StrictMode>
          <I18nextProvider i18n={words}>
            <Ready host={host} fallback={fallback} onReady={ready}>
              <Component {...props} />
            </Ready>
          </I18nextProvider>
        </StrictMode>,
      );
    });
  };
}

interface ReadyProps {
  host: HTMLElement;
  fallback: HTMLElement | null;
  onReady: () => void;
  children: React.ReactNode;
}

/** Reads the server's form at the last moment before it is replaced, and says when the replacement is drawn. */
function Ready({ host, fallback, onReady, children }: ReadyProps) {
  const [context] = useState(() => ({ host, fallback, values: readValues(fallback) }));
  // Runs once: the functions of the first drawing are those of the island's whole life.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useLayoutEffect(onReady, []);
  return <Context value={context}>{children}</Context>;
}

function readValues(fallback: HTMLElement | null): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const input of fallback?.querySelectorAll<HTMLInputElement>("input, textarea") ?? []) {
    const isBox = input.type === "radio" || input.type === "checkbox";
    if (isBox ? input.checked && !input.defaultChecked : input.value !== input.defaultValue) {
      values.set(input.name, input.value);
    }
  }
  for (const select of fallback?.querySelectorAll("select") ?? []) {
    const chosen = select.selectedOptions[0];
    if (chosen && !chosen.defaultSelected) values.set(select.name, select.value);
  }
  return values;
}
