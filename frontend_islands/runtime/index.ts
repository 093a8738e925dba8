/** Loaded by every page: small, without React. It knows when to fetch the rest. */
import "./island-element";
import "./cart-count";
import "./member-link";
import { showPendingNotice } from "./notice";

void showPendingNotice();
