/** Days and moments in French, in the shop's own time zone, as every screen of the staff area writes them. */
const ZONE = "Europe/Paris";
const moment = new Intl.DateTimeFormat("fr", {
  day: "2-digit",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: ZONE,
});
const shortDay = new Intl.DateTimeFormat("fr", { dateStyle: "short", timeZone: ZONE });
const DAY_MS = 24 * 60 * 60 * 1000;
const longDay = new Intl.DateTimeFormat("fr", { day: "numeric", month: "long", year: "numeric" });

/** `2026-11-23T00:40:00Z` → `23 novembre 2026 à 01:40`. */
export function formatMoment(iso: string): string {
  const parts = Object.fromEntries(
    moment.formatToParts(new Date(iso)).map((part) => [part.type, part.value]),
  );
  return `${parts.day} ${parts.month} ${parts.year} à ${parts.hour}:${parts.minute}`;
}

/** `2026-11-23T00:40:00Z` → `23/11/2026`, or so many days later. */
export function formatShortDay(iso: string, later = 0): string {
  return shortDay.format(new Date(Date.parse(iso) + later * DAY_MS));
}

/** `2026-11-23` → `23 novembre 2026`, `2026-12-01` → `1er décembre 2026`. */
export function formatDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return longDay.format(new Date(year, month - 1, date)).replace(/^1 /, "1er ");
}

/** Today in the shop, as a field for days takes it. */
export function today(): string {
  return new Intl.DateTimeFormat("sv", { timeZone: ZONE }).format(new Date());
}
