/**
 * The shop's own statistics, without cookies: reports that a page was shown, what was looked for, what was put into the
 * cart and how fast the page was. Whoever objects, here or in their browser's settings, is not counted.
 */
import { onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals";
import { emit, listen } from "@/lib/events";
import { isCounted } from "@/lib/statistics-choice";

const EVENTS = "/api/statistics/events";
const VITALS = "/api/vitals";
/** Whoever types pauses less than this between two letters. */
const SETTLED_MS = 1500;
const NARROW = 600;

const searched = () => new URLSearchParams(location.search).get("search")?.trim() ?? "";
const query = (name: string) => new URLSearchParams(location.search).get(name)?.slice(0, 60);

if (document.querySelector("[data-statistics-switch]")) {
  void import("./statistics-switch").then(({ enhanceSwitch }) => enhanceSwitch());
}
if (isCounted() && !isErrorPage()) {
  // Fetched before anybody asked for it, a page may never be seen.
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener("prerenderingchange", start, { once: true });
  } else start();
}

function start(): void {
  const { pathname, hostname } = location;
  const device =
    innerWidth < NARROW ? "phone" : matchMedia("(pointer: coarse)").matches ? "tablet" : "computer";
  // Asked each time: on this page, or in another tab, somebody may have objected since.
  const report = (address: string, content: object) =>
    isCounted() && navigator.sendBeacon(address, JSON.stringify(content));
  const send = (event: object) => report(EVENTS, { path: pathname, device, ...event });

  const view = () => {
    const referrer = document.referrer && new URL(document.referrer).hostname;
    send({
      kind: "page",
      referrer: referrer === hostname ? "" : referrer,
      source: query("utm_source"),
      medium: query("utm_medium"),
      campaign: query("utm_campaign"),
    });
  };
  view();
  addEventListener("pageshow", ({ persisted }) => persisted && view());
  listen("cart:added", () => send({ kind: "cart" }));

  // What was looked for counts once somebody stops typing or leaves.
  const results = document.getElementById("resultats");
  let reported = "";
  let pause: ReturnType<typeof setTimeout> | undefined;
  const reportSearch = () => {
    clearTimeout(pause);
    const search = searched();
    const found = results?.querySelector<HTMLElement>("[data-count]")?.dataset.count;
    if (search && found && search !== reported) send({ kind: "search", search, found: Number(found) });
    reported = search;
  };
  if (results) {
    const settle = () => {
      clearTimeout(pause);
      pause = setTimeout(reportSearch, SETTLED_MS);
    };
    new MutationObserver(settle).observe(results, { childList: true });
    settle();
  }

  let measured: object[] = [];
  for (const measure of [onCLS, onFCP, onINP, onLCP, onTTFB]) {
    measure(({ name, value, rating }) => {
      measured.push({ name, value, rating, path: pathname, device });
      emit("shop:web-vital", { name, value, rating });
    });
  }
  const leave = () => {
    if (results) reportSearch();
    if (measured.length) report(VITALS, measured.slice(0, 10));
    measured = [];
  };
  addEventListener("visibilitychange", () => {
    // After what the library measures when the page is left.
    if (document.visibilityState === "hidden") queueMicrotask(leave);
  });
  addEventListener("pagehide", leave);
}

/** A page that was answered with an error is none of the shop's; browsers that do not know are believed. */
function isErrorPage(): boolean {
  const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (loaded?.responseStatus ?? 200) >= 400;
}
