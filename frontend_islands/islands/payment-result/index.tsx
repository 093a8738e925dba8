import { reactIsland } from "@/runtime/react";
import { PaymentResult } from "./payment-result";

export const mount = reactIsland(PaymentResult);
