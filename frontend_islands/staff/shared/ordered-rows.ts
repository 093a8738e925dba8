/**
 * Lists that the server draws with `data-ordered`: rows are dragged by mouse or finger, or moved by their two buttons and
 * the arrow keys on them, without leaving the page. Each move is saved at once, after those before it; one that is refused is
 * taken back, and leaving asks while one waits for others.
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

interface Move {
  row: HTMLElement;
  /** Undefined: the end. */
  before: HTMLElement | undefined;
}

interface Order {
  list: HTMLElement;
  /** The rows as the server has them. */
  saved: HTMLElement[];
  /** What is shown and not saved yet. */
  moves: Move[];
}

export function orderRows(list: HTMLElement): void {
  const order: Order = { list, saved: rowsOf(list), moves: [] };
  // The first is under way, and goes on when the page is left.
  addEventListener("beforeunload", (event) => order.moves.length > 1 && event.preventDefault());
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
      dragByTouch({ row, handle: row, over: OVER, onDrop: (to) => void place(order, row, to) }),
    );
  }
  monitorForElements({
    canMonitor: ({ source }) => source.data.kind === KIND,
    onDrop: ({ source, location }) => {
      const over = location.current.dropTargets[0]?.element;
      const rows = rowsOf(list);
      if (over) void place(order, source.element, rows.indexOf(over as HTMLElement));
    },
  });
  list.addEventListener("submit", (event) => {
    const button = event.submitter as HTMLButtonElement | null;
    const row = button?.closest<HTMLElement>("[data-row]");
    if (!(row && button)) return;
    event.preventDefault();
    void place(order, row, rowsOf(list).indexOf(row) + (button.value === "bas" ? 1 : -1), button);
  });
  list.addEventListener("keydown", (event) => {
    const button = (event.target as Element).closest<HTMLElement>(".staff-rows__move button");
    const row = button?.closest<HTMLElement>("[data-row]");
    if (!(row && button)) return;
    const [rows, index] = [rowsOf(list), rowsOf(list).indexOf(row)];
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    void place(order, row, to, button);
  });
}

const rowsOf = (list: HTMLElement) => [...list.querySelectorAll<HTMLElement>(":scope > [data-row]")];

let last = Promise.resolve("");

/** Shows the row at its new place, saves it after the moves before it, and takes it back when that fails. */
async function place(order: Order, row: HTMLElement, to: number, focused?: HTMLElement): Promise<void> {
  const { list } = order;
  const rows = rowsOf(list);
  const from = rows.indexOf(row);
  if (to < 0 || to >= rows.length || to === from) return;
  const move = { row, before: rows[to > from ? to + 1 : to] };
  order.moves.push(move);
  list.insertBefore(row, move.before ?? null);
  finish(list, focused);
  last = last.then(() => save(move));
  const failure = await last;
  order.moves.shift();
  if (!failure) {
    order.saved = moved(order.saved, move);
    const live = document.getElementById("live");
    const place = rowsOf(list).indexOf(row) + 1;
    if (live) live.textContent = t("order.moved", { name: row.dataset.name ?? "", place });
    return;
  }
  const active = document.activeElement as HTMLElement | null;
  list.append(...order.moves.reduce(moved, order.saved));
  finish(list, active && list.contains(active) ? active : focused);
  toast({ kind: "error", title: t("order.failed"), text: failure });
}

function moved(rows: HTMLElement[], { row, before }: Move): HTMLElement[] {
  const others = rows.filter((each) => each !== row);
  const place = before ? others.indexOf(before) : others.length;
  return [...others.slice(0, place), row, ...others.slice(place)];
}

/** What to say of a move that is not saved; empty for one that is. */
async function save({ row, before }: Move): Promise<string> {
  const form = row.querySelector<HTMLFormElement>("form.staff-rows__move");
  if (!form) return t("unexpected");
  const body = new FormData(form);
  body.set("avant", before?.dataset.row ?? "fin");
  try {
    const { ok, url } = await fetch(form.action, { method: "POST", body, keepalive: true });
    if (!ok) return t("unexpected");
    // A saved move leads back to the list; a session that ended leads to where people sign in.
    return new URL(url).pathname === location.pathname ? "" : t("order.signedOut");
  } catch {
    return t("network");
  }
}

/** The first row can't go up nor the last one down; a button that is switched off hands the focus to the other. */
function finish(list: HTMLElement, focused?: HTMLElement): void {
  const rows = rowsOf(list);
  rows.forEach((each, index) => {
    const [up, down] = each.querySelectorAll<HTMLButtonElement>(".staff-rows__move button");
    if (up) up.disabled = index === 0;
    if (down) down.disabled = index === rows.length - 1;
  });
  if (!focused) return;
  if (focused.matches(":disabled"))
    focused.closest("form")?.querySelector<HTMLElement>("button:enabled")?.focus();
  else focused.focus();
}
