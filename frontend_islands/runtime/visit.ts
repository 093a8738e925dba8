/** What every visit needs once its page is there, as one file. */
import "./favourite-button";
import "./statistics";
