/** Services of other companies: fetched after an opt-in, on pages whose template names their ids, and nowhere else. */
import type { Category } from "./choice";

interface Call {
  (...args: unknown[]): void;
  queue?: unknown[];
  callMethod?: (...args: unknown[]) => void;
  push?: unknown;
  loaded?: boolean;
  version?: string;
  disablePushState?: boolean;
}

declare global {
  interface Window {
    dataLayer?: unknown[];
    fbq?: Call;
    _fbq?: Call;
  }
}

const ANALYTICS = "https://www.googletagmanager.com/gtag/js?id=";
const PIXEL = "https://connect.facebook.net/en_US/fbevents.js";
/** Thirteen months, and not again with each visit (CNIL). */
const COOKIE_SECONDS = 395 * 24 * 60 * 60;

const running = new Set<Category>();
let isReferrerCut = false;

/** Starts what is allowed and not running yet, and silences what no longer is: its script stays until the next page. */
export function measure(page: HTMLTemplateElement, allowed: readonly Category[]): void {
  const { analytics, marketing, title = "", event = "" } = page.dataset;
  cutReferrer();
  if (analytics) {
    (window as unknown as Record<string, boolean>)[`ga-disable-${analytics}`] =
      !allowed.includes("analytics");
    if (begins("analytics", allowed)) startAnalytics(analytics, title);
  }
  if (marketing) {
    if (hasPlainAddress() && begins("marketing", allowed)) startPixel(marketing, event);
    else window.fbq?.("consent", allowed.includes("marketing") ? "grant" : "revoke");
  }
}

function begins(name: Category, allowed: readonly Category[]): boolean {
  if (!allowed.includes(name) || running.has(name)) return false;
  running.add(name);
  return true;
}

function startAnalytics(id: string, group: string): void {
  window.dataLayer ??= [];
  // The service reads the arguments object itself, not an array.
  function gtag(..._args: unknown[]): void {
    // biome-ignore lint/complexity/noArguments: see above
    window.dataLayer?.push(arguments);
  }
  gtag("js", new Date());
  gtag("config", id, {
    send_page_view: false,
    allow_google_signals: false,
    allow_ad_personalization_signals: false,
    cookie_expires: COOKIE_SECONDS,
    cookie_update: false,
    page_location: location.origin + location.pathname + campaign(),
    page_referrer: document.referrer,
  });
  const isNamed = group !== OTHER_PAGES;
  gtag("event", "page_view", { page_title: isNamed ? group : document.title, content_group: group });
  reportVitals(gtag);
  fetchScript(ANALYTICS + encodeURIComponent(id));
}

const OTHER_PAGES = "Autres pages";
const VITALS = ["LCP", "CLS", "INP"];

/** Each value once a page, when whoever measures them says so by `shop:web-vital`. CLS in thousandths. */
function reportVitals(gtag: (...args: unknown[]) => void): void {
  const sent = new Set<string>();
  document.addEventListener("shop:web-vital", (event) => {
    const { name, value } = Object((event as CustomEvent).detail) as { name?: unknown; value?: unknown };
    if (typeof name !== "string" || typeof value !== "number" || !VITALS.includes(name) || sent.has(name))
      return;
    sent.add(name);
    gtag("event", "web_vitals", {
      event_category: "Web Vitals",
      event_label: name,
      value: Math.round(name === "CLS" ? value * 1000 : value),
      non_interaction: true,
    });
  });
}

function startPixel(id: string, event: string): void {
  const call: Call = (...args) => {
    if (call.callMethod) call.callMethod(...args);
    else call.queue?.push(args);
  };
  Object.assign(call, { push: call, loaded: true, version: "2.0", queue: [], disablePushState: true });
  window.fbq ??= call;
  window._fbq ??= window.fbq;
  // Without its own guesses at what buttons and fields mean.
  window.fbq("set", "autoConfig", false, id);
  window.fbq("init", id);
  window.fbq("track", "PageView");
  if (event) window.fbq("track", event);
  fetchScript(PIXEL);
}

function fetchScript(src: string): void {
  const script = document.createElement("script");
  script.async = true;
  script.src = src;
  document.head.append(script);
}

/** Nobody else is told which of the shop's own pages was read before, whose address may open an order. */
function cutReferrer(): void {
  if (isReferrerCut) return;
  isReferrerCut = true;
  const from = document.referrer;
  const shown = from.startsWith(`${location.origin}/`) ? `${location.origin}/` : from;
  Object.defineProperty(document, "referrer", { configurable: true, get: () => shown });
}

/**
 * The pixel reads the address itself, and nothing gives it another one: it stays off a page whose address says more than
 * which page it is and the campaign that led here, as a search does.
 */
function hasPlainAddress(): boolean {
  return [...new URLSearchParams(location.search).keys()].every((name) =>
    /^(utm_\w+|gclid|fbclid)$/.test(name),
  );
}

/** The parameters of a campaign, without what else the address holds. */
function campaign(): string {
  const kept = [...new URLSearchParams(location.search)].filter(([name]) => /^(utm_\w+|gclid)$/.test(name));
  return kept.length > 0 ? `?${new URLSearchParams(kept)}` : "";
}
