/** Loaded by every page of the staff area: brings its islands to life and reports what breaks. */
import "@/runtime/island-element";
import { closeLeftMenu } from "@/lib/left-menus";
import { setCounted } from "@/lib/statistics-choice";
import { reportToServer } from "@/runtime/report";
import { keepFocusOfBusy } from "./shared/busy-focus";
import { watchConnection } from "./shared/connection";
import { enableCopying } from "./shared/copy";
import { watchForms } from "./shared/forms";
import { enhancePages } from "./shared/pages";
import { keepWayBack } from "./shared/way-back";

reportToServer();
watchConnection();
keepFocusOfBusy();
enhancePages();
keepWayBack();
enableCopying();
watchForms();
addEventListener("focusin", closeLeftMenu);
if (document.querySelector("form[data-staff-form], .alert--success"))
  void import("./shared/form-drafts").then(({ keepDrafts }) => keepDrafts());
if (document.querySelector("[data-markdown]"))
  void import("./shared/paste").then(({ pasteParagraphs }) => pasteParagraphs());
for (const list of document.querySelectorAll<HTMLElement>("[data-ordered]"))
  void import("./shared/ordered-rows").then(({ orderRows }) => orderRows(list));
// The workshop's own visits to the shop would be most of a small shop's.
setCounted(false, "staff");
