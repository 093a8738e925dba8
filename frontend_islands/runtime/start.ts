/** In the head of every page but the cart and the checkout, whose `purchase/start` does the same and more. */
import "./language-start";
import { fetchRuntimeOncePainted } from "./fetch-runtime";

fetchRuntimeOncePainted();
