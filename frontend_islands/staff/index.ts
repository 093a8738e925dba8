/** Loaded by every page of the staff area: brings its islands to life and reports what breaks. */
import "@/runtime/island-element";
import { reportToServer } from "@/runtime/report";
import { watchConnection } from "./shared/connection";
import { enableCopying } from "./shared/copy";
import { watchForms } from "./shared/forms";
import { enhancePages } from "./shared/pages";

reportToServer();
watchConnection();
enhancePages();
enableCopying();
watchForms();
