import type { Choice } from "../../lib/choice";

/** Written by the server for the product of the page. */
export interface ProductBuyProps {
  product_id: number;
  name: string;
  available: boolean;
  unavailable_text: string;
  promotion_text: string;
  cart_url: string;
  finishes: BuyFinish[];
  variations: BuyVariation[];
  offers: BuyOffer[];
  selected: Choice;
}

export interface BuyFinish {
  code: "painted" | "unpainted";
  label: string;
  image: { url: string; width: number; height: number; alt: string } | null;
  available: boolean;
  reason: string;
}

export interface BuyVariation {
  id: number;
  name: string;
  is_default: boolean;
  available: boolean;
  reason: string;
}

/** One price: a finish (null where the product has none) in a format (null likewise). */
export interface BuyOffer extends Choice {
  price: string;
  price_text: string;
  original_price: string | null;
  original_price_text: string | null;
  available: boolean;
}
