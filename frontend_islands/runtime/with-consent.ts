/** The runtime of pages that may ask about cookies, as one file. */
import "./index";
import "@/consent/index";
