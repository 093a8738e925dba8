/** What the purchase calls answer and what its islands are given, as the API schema names them. */

export interface QuoteImage {
  url: string;
  width: number;
  height: number;
  alt: string;
  srcset: string;
}

export interface QuoteLine {
  key: string;
  product_id: number;
  variation_id: number | null;
  finish: "painted" | "unpainted" | null;
  name: string;
  finish_label: string;
  variation_name: string;
  category: string;
  url: string;
  image: QuoteImage | null;
  promotion_label: string;
  quantity: number;
  unit_price: string | null;
  free_quantity: number;
  line_total: string;
  available: boolean;
  available_quantity: number | null;
  problem?: string;
  problem_detail?: string;
}

export interface Installment {
  due: string;
  amount: string;
}

export interface Quote {
  lines: QuoteLine[];
  item_count: number;
  original_total: string;
  promotion_savings: string;
  subtotal: string;
  country: string;
  shipping_zone: string;
  shipping_cost: string;
  total: string;
  free_shipping_missing: string | null;
  free_shipping_share: number;
  next_free: string[];
  lead_time: { days_min: number; days_max: number; earliest: string; latest: string; text: string } | null;
  installments: { available: boolean; minimum: string; plan: Installment[] };
}

export interface CountryChoice {
  code: string;
  name: string;
  zone: string;
  duties_notice: boolean;
}

export interface CartProps {
  countries: CountryChoice[];
  home_country: string;
  links: { catalogue: string; checkout: string };
}

export type PaymentMode = "full" | "installments";

export interface CheckoutProps {
  countries: CountryChoice[];
  home_country: string;
  other_country: string;
  payment_modes: PaymentMode[];
  pay_label: string;
  terms_version: string;
  password_min: number;
  links: { cart: string; terms: string; privacy: string; forgot: string };
}

export interface CheckoutAnswer {
  order_id: string;
  reference: string;
  url: string;
  total: string;
  installment_plan?: Installment[];
}

export interface PaymentResultProps {
  session_id: string;
  links: { cart: string; orders: string; contact: string };
}

export interface VerifyAnswer {
  payment_status: "paid" | "pending" | "failed" | "expired";
  order_reference?: string;
  order_url?: string;
  refunded?: boolean;
  installment_plan?: Installment[];
}
