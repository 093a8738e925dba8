import { useSyncExternalStore } from "react";
import { $lines } from "@/lib/cart";

/** The lines of the cart; what shows them follows it, other tabs included. */
export const useLines = () => useSyncExternalStore($lines.listen, $lines.get);
