/**
 * What the visitor allows: `localStorage["cookie-consent"] = {"necessary":true,"analytics":false,"marketing":false,
 * "functionality":false,"version":"…","date":"…","id":"…","number":1,"isRecorded":true}`.
 */
import { randomKey } from "@/lib/random-key";

export const KEY = "cookie-consent";
export const OPTIONAL = ["analytics", "marketing", "functionality"] as const;
export type Category = (typeof OPTIONAL)[number];
export type Allowed = Record<Category, boolean>;

const MONTHS = 6;
const CLOCK_MS = 24 * 60 * 60 * 1000;

export interface Choice extends Allowed {
  necessary: true;
  /** Of the question that was answered. */
  version: string;
  /** When, by the browser's clock. */
  date: string;
  /** Names the browser to the shop, by a number drawn at random. */
  id: string;
  /** Counts the browser's answers. */
  number: number;
  /** Whether the shop has it: sent again with the next page until then. */
  isRecorded: boolean;
}

/** Where storage is refused, an answer lasts as long as the page. */
let latest: string | null = null;

/** The last answer of this browser, however old; null for none or a damaged one. */
export function readChoice(): Choice | null {
  try {
    const stored: Partial<Choice> = Object(JSON.parse(readText() ?? "null"));
    const { version, date, id, number, isRecorded } = stored;
    if (typeof version !== "string" || !Number.isFinite(Date.parse(String(date)))) return null;
    if (!/^[0-9a-f-]{36}$/.test(String(id)) || !Number.isSafeInteger(number)) return null;
    return {
      ...allowedBy((name) => stored[name] === true),
      necessary: true,
      version,
      date,
      id,
      number,
      isRecorded,
    } as Choice;
  } catch {
    return null;
  }
}

/** Whether an answer counts now: to the question that the page asks, and not too old. */
export function isInForce(choice: Choice | null, version: string, now = new Date()): choice is Choice {
  if (choice?.version !== version) return false;
  const date = new Date(choice.date);
  const end = new Date(date);
  end.setMonth(date.getMonth() + MONTHS);
  // Six months after 31 August is the last day of February, and none of March.
  if (end.getDate() !== date.getDate()) end.setDate(0);
  // A clock that was wrong at the time would make it last.
  return now < end && date.getTime() <= now.getTime() + CLOCK_MS;
}

/** Stores a new answer and tells the shop. */
export function decide(
  test: (name: Category) => boolean,
  version: string,
  offered: readonly Category[],
): void {
  const before = readChoice();
  const choice: Choice = {
    necessary: true,
    ...allowedBy(test),
    version,
    date: new Date().toISOString(),
    id: before?.id ?? drawId(),
    number: (before?.number ?? 0) + 1,
    isRecorded: false,
  };
  write(choice);
  void record(choice, offered);
}

/** Sends an answer to the shop, which keeps its proof; one that did not arrive is sent by the next page. */
export async function record(choice: Choice, offered: readonly Category[]): Promise<void> {
  const { id, number, version } = choice;
  const choices = Object.fromEntries(offered.map((name) => [name, choice[name]]));
  const body = JSON.stringify({ id, number, version, choices, language: document.documentElement.lang });
  const headers = { "Content-Type": "application/json", "Accept-Language": document.documentElement.lang };
  try {
    const { ok } = await fetch("/api/consent", {
      method: "POST",
      headers,
      body,
      keepalive: true,
      credentials: "omit",
    });
    // Another tab may have answered meanwhile.
    if (ok && readChoice()?.number === number) write({ ...choice, isRecorded: true });
  } catch {
    // Offline.
  }
}

function allowedBy(test: (name: Category) => boolean): Allowed {
  return Object.fromEntries(OPTIONAL.map((name) => [name, test(name)])) as Allowed;
}

function write(choice: Choice): void {
  latest = JSON.stringify(choice);
  try {
    localStorage.setItem(KEY, latest);
  } catch {}
}

function readText(): string | null {
  try {
    return localStorage.getItem(KEY) ?? latest;
  } catch {
    return latest;
  }
}

/** A UUID. */
function drawId(): string {
  const hex = randomKey();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
