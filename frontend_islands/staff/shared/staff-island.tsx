/** Islands of the staff area: `export const mount = staffIsland(Component)`. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Component, type ComponentType, type ReactNode, StrictMode, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { fetchMe } from "@/lib/me";
import { fallbackOf, type Mount, replaceFallback } from "@/runtime/island";
import { isLate, isRefusal } from "./problem";

/** A client as pages use it; tests make their own. Nothing is kept between pages: what staff see is fresh. */
export function queryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && !isRefusal(error) && !isLate(error),
        staleTime: 5_000,
        // Offline they would wait without a word: they fail, and are made again once the machine is online.
        networkMode: "always",
        refetchOnReconnect: true,
      },
      // Offline they would wait, shown as if they were done, and be lost with the page: they fail, and that is said.
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

/**
 * Draws `Island` in place of what the server drew, which says that it is loading or works without scripts. If the
 * component ever throws, that comes back and the server gets a report.
 */
export function staffIsland<Props extends object>(Island: ComponentType<Props>): Mount<Props> {
  return async (host, props) => {
    // The page may be left with the first press: its call has nothing to ask for before.
    fetchMe().catch(() => {});
    const fallback = fallbackOf(host);
    const container = document.createElement("div");
    const root = createRoot(container);
    const leave = () => {
      root.unmount();
      container.remove();
      if (fallback && !fallback.isConnected) host.append(fallback);
    };
    host.append(container);
    // Ready once it is drawn: a click that was made before finds what it was meant for.
    await new Promise<void>((resolve, reject) => {
      const ready = () => {
        if (fallback) replaceFallback(fallback, container);
        resolve();
      };
      const fail = (error: unknown) => {
        leave();
        // The first of them counts: once it is ready, this changes nothing, and the runtime hears of it.
        reject(error);
        host.dispatchEvent(new CustomEvent("island:error", { detail: error }));
      };
      root.render(
        <StrictMode>
          <Boundary onError={fail}>
            <QueryClientProvider client={queryClient()}>
              <Ready onReady={ready}>
                <Island {...props} />
              </Ready>
            </QueryClientProvider>
          </Boundary>
        </StrictMode>,
      );
    });
    return leave;
  };
}

function Ready({ onReady, children }: { onReady: () => void; children: ReactNode }) {
  useLayoutEffect(onReady, [onReady]);
  return children;
}

class Boundary extends Component<{ children: ReactNode; onError: (error: unknown) => void }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError() {
    return { hasFailed: true };
  }
  override componentDidCatch(error: unknown) {
    // Not inside React's commit: unmounting there is refused.
    queueMicrotask(() => this.props.onError(error));
  }
  override render() {
    return this.state.hasFailed ? null : this.props.children;
  }
}
