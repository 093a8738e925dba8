/** Islands of the staff area: `export const mount = staffIsland(Component)`. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Component, type ComponentType, type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiProblem } from "@/lib/api";
import { fallbackOf, type Mount } from "@/runtime/island";

/** Answers that asking again will not change. */
const FINAL = (error: unknown) => error instanceof ApiProblem && error.status >= 400 && error.status < 500;

/** A client as pages use it; tests make their own. Nothing is kept between pages: what staff see is fresh. */
export function queryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: (failures, error) => failures < 2 && !FINAL(error), staleTime: 5_000 },
      mutations: { retry: false },
    },
  });
}

/**
 * Draws `Island` in place of what the server drew, which says that it is loading or works without scripts. If the
 * component ever throws, that comes back and the server gets a report.
 */
export function staffIsland<Props extends object>(Island: ComponentType<Props>): Mount<Props> {
  return (host, props) => {
    const fallback = fallbackOf(host);
    const container = document.createElement("div");
    const root = createRoot(container);
    const leave = () => {
      root.unmount();
      container.remove();
      if (fallback && !fallback.isConnected) host.append(fallback);
    };
    const fail = (error: unknown) => host.dispatchEvent(new CustomEvent("island:error", { detail: error }));
    fallback?.remove();
    host.append(container);
    root.render(
      <StrictMode>
        <Boundary onError={fail}>
          <QueryClientProvider client={queryClient()}>
            <Island {...props} />
          </QueryClientProvider>
        </Boundary>
      </StrictMode>,
    );
    return leave;
  };
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
