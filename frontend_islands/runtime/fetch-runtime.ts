/** For the scripts of the head: fetches the page's own script, which the root names in `data-runtime`. */

import { holdPresses, letGo } from "./early-press";

const LOAD_MS = 500;

holdPresses();

/** Once the page is there to be run on. */
export function fetchRuntime(): void {
  if (document.readyState === "loading") {
    addEventListener("DOMContentLoaded", fetchRuntime, { once: true });
    return;
  }
  const script = document.createElement("script");
  const { dataset } = document.documentElement;
  script.type = "module";
  script.src = dataset.runtime as string;
  script.onload = letGo;
  script.onerror = () => {
    // The page's styles show what it says then.
    dataset.runtime = "";
    letGo();
  };
  document.head.append(script);
}

/** After the first paint, for which styles, typefaces and picture need the line; where nobody says when it was, soon
 * after the page has loaded. */
export function fetchRuntimeOncePainted(): void {
  let isAsked = false;
  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    fetchRuntime();
  };
  new PerformanceObserver(ask).observe({ type: "paint", buffered: true });
  addEventListener("load", () => setTimeout(ask, LOAD_MS));
}
