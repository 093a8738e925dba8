/** What every visit needs once its page is there, as one file. */
import "./favourite-button";
import { offerLanguage } from "./language-offer";
import "./statistics";

if (document.documentElement.dataset.offer) offerLanguage();
