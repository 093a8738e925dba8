/**
 * Lists that the server draws with `data-ordered`: rows are dragged by mouse or finger, or moved by their two buttons and
 * the arrow keys on them, without leaving the page. Each move is saved at once; one that is refused is taken back.
 */
import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { toast } from "@/lib/toast";
import { dragByTouch } from "./touch-drag";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);
const KIND = "row";
const OVER = "staff-rows__item--over";

export function orderRows(list: HTMLElement): void {
  for (const row of rowsOf(list)) {
    // A link inside would be dragged by itself.
    for (const link of row.querySelectorAll("a")) link.draggable = false;
    combine(
      draggable({ element: row, getInitialData: () => ({ kind: KIND, row }) }),
      dropTargetForElements({
        element: row,
        canDrop: ({ source }) => source.data.kind === KIND && source.data.row !== row,
        onDragEnter: () => row.classList.add(OVER),
        onDragLeave: () => row.classList.remove(OVER),
        onDrop: () => row.classList.remove(OVER),
      }),
      dragByTouch({ row, handle: row, over: OVER, onDrop: (to) => void place(list, row, to) }),
    );
  }
  monitorForElements({
    canMonitor: ({ source }) => source.data.kind === KIND,
    onDrop: ({ source, location }) => {
      const over = location.current.dropTargets[0]?.element;
      const rows = rowsOf(list);
      if (over) void place(list, source.element, rows.indexOf(over as HTMLElement));
    },
  });
  list.addEventListener("submit", (event) => {
    const button = event.submitter as HTMLButtonElement | null;
    const row = button?.closest<HTMLElement>("[data-row]");
    if (!(row && button)) return;
    event.preventDefault();
    void place(list, row, rowsOf(list).indexOf(row) + (button.value === "bas" ? 1 : -1), button);
  });
  list.addEventListener("keydown", (event) => {
    const button = (event.target as Element).closest<HTMLElement>(".staff-rows__move button");
    const row = button?.closest<HTMLElement>("[data-row]");
    if (!(row && button)) return;
    const [rows, index] = [rowsOf(list), rowsOf(list).indexOf(row)];
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    void place(list, row, to, button);
  });
}

const rowsOf = (list: HTMLElement) => [...list.querySelectorAll<HTMLElement>(":scope > [data-row]")];

let last = Promise.resolve(true);

/** Shows the row at its new place, saves it after the moves before it, and takes it back when that fails. */
async function place(list: HTMLElement, row: HTMLElement, to: number, focused?: HTMLElement): Promise<void> {
  const rows = rowsOf(list);
  const from = rows.indexOf(row);
  if (to < 0 || to >= rows.length || to === from) return;
  const next = row.nextElementSibling;
  list.insertBefore(row, (to > from ? rows[to]?.nextElementSibling : rows[to]) ?? null);
  finish(list, row, focused);
  const before = (row.nextElementSibling as HTMLElement | null)?.dataset.row ?? "fin";
  last = last.then(() => save(row, before));
  if (await last) {
    const live = document.getElementById("live");
    const place = rowsOf(list).indexOf(row) + 1;
    if (live) live.textContent = t("order.moved", { name: row.dataset.name ?? "", place });
    return;
  }
  list.insertBefore(row, next);
  finish(list, row, focused);
  toast({ kind: "error", title: t("order.failed"), text: t("network") });
}

async function save(row: HTMLElement, before: string): Promise<boolean> {
  const form = row.querySelector<HTMLFormElement>("form.staff-rows__move");
  if (!form) return false;
  const body = new FormData(form);
  body.set("avant", before);
  try {
    const answer = await fetch(form.action, { method: "POST", body });
    // A saved move leads back to the list; a session that ended leads to where people sign in.
    return answer.ok && new URL(answer.url).pathname === location.pathname;
  } catch {
    return false;
  }
}

/** The first row can't go up nor the last one down; a button that is switched off hands the focus to the other. */
function finish(list: HTMLElement, row: HTMLElement, focused?: HTMLElement): void {
  const rows = rowsOf(list);
  rows.forEach((each, index) => {
    const [up, down] = each.querySelectorAll<HTMLButtonElement>(".staff-rows__move button");
    if (up) up.disabled = index === 0;
    if (down) down.disabled = index === rows.length - 1;
  });
  if (!focused) return;
  if (focused.matches(":disabled"))
    row.querySelector<HTMLElement>(".staff-rows__move button:enabled")?.focus();
  else focused.focus();
}
