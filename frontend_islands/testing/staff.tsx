/** Draws a component of the staff area as its page does. */
import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactElement } from "react";
import { queryClient } from "@/staff/shared/staff-island";

export async function renderStaff(island: ReactElement) {
  document.documentElement.lang = "fr";
  document.documentElement.dataset.icons = "/static/icons.svg";
  // jsdom knows no dialogs.
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
  const client = queryClient();
  const { queries, ...others } = client.getDefaultOptions();
  client.setDefaultOptions({ ...others, queries: { ...queries, staleTime: 0, retry: false } });
  const drawn = await act(async () =>
    render(<QueryClientProvider client={client}>{island}</QueryClientProvider>),
  );
  return { user: userEvent.setup(), screen, container: drawn.container, unmount: drawn.unmount };
}
