/** The checkout as a test meets it: filled in, sent, answered. */
import { screen } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { vi } from "vitest";
import type { CheckoutProps, QuoteLine } from "@/api/types";
import { Checkout } from "@/islands/checkout";
import { addToCart, clearCart } from "@/lib/cart";
import { forgetMe } from "@/lib/me";
import { goTo, replaceBy } from "@/lib/navigate";
import { toast } from "@/lib/toast";
import { type Asked, cartLine, countries, json, quote, quoted, serve, visitor } from "./purchase";
import { renderIsland } from "./render";

export const props: CheckoutProps = {
  countries,
  default_country: "FR",
  payment_methods: [{ icon: "card", name: "Carte bancaire" }],
  other_country: "ZZ",
  payment_modes: ["full"],
  pay_label: "Commande avec obligation de paiement",
  terms_version: "2026-11-01.1",
  password_min: 8,
  links: {
    cart: "/panier",
    terms: "/cgv",
    privacy: "/politique-confidentialite",
    withdrawal: "/retractation",
    withdrawal_form: "/formulaire-retractation",
    guarantees: "/cgv",
    forgot: "/auth?mode=forgot",
  },
};
export const PAY_PAGE = "https://pay.example/c/1";
export const placed = () =>
  json({ order_id: "0b9e", reference: "A1B2C3D4", url: PAY_PAGE, total: "378.00" }, 201);

interface Shop {
  me?: () => Response;
  quote?: (asked: Asked) => Response | Promise<Response>;
  checkout?: (asked: Asked) => Response | Promise<Response>;
  addresses?: (asked: Asked) => Response;
  modes?: CheckoutProps["payment_modes"];
}

export async function openCheckout({
  me = visitor,
  quote: priced = () => json(quote()),
  checkout = placed,
  addresses = () => json([]),
  modes = props.payment_modes,
}: Shop = {}) {
  const calls = serve({
    "/api/me": me,
    "/api/cart/quote": priced,
    "/api/checkout": checkout,
    "/api/me/addresses": addresses,
  });
  const drawn = await renderIsland(<Checkout {...props} payment_modes={modes} />);
  await screen.findAllByText("Total");
  return { ...drawn, calls, orders: () => calls.filter(({ path }) => path === "/api/checkout") };
}

export const field = (name: string) => screen.getByLabelText(name, { selector: "input, select, textarea" });
export const payButton = () => screen.getByRole("button", { name: /Commande avec|Traitement/ });
export const termsBox = () => screen.getByRole("checkbox", { name: /J'accepte/ });

/** Pasted rather than typed: a key at a time, every test would take seconds. */
export async function put(user: UserEvent, name: string, text: string) {
  await user.click(field(name));
  await user.paste(text);
}

export async function fillIn(user: UserEvent, { tab = "Sans compte" } = {}) {
  await user.click(screen.getByText(tab, { selector: "[role=tab]" }));
  await put(user, "E-mail", "Ada@Example.com");
  if (tab !== "Sans compte") await put(user, "Mot de passe", "lutin-bleu-42");
  await fillInAddress(user);
}

export async function fillInAddress(user: UserEvent) {
  await put(user, "Prénom", "Ada");
  await put(user, "Nom", "Lovelace");
  await put(user, "Adresse", "1 rue du Four");
  await put(user, "Code postal", "75006");
  await put(user, "Ville", " Paris ");
  await user.click(termsBox());
}

/** Two guardians in the cart of somebody who is not signed in. The caller mocks the toasts and the navigation. */
export function startShopping() {
  vi.mocked(goTo).mockReset();
  vi.mocked(replaceBy).mockReset();
  vi.mocked(toast).mockReset();
  forgetMe();
  clearCart();
  addToCart(cartLine(quoted()), 2);
  // biome-ignore lint/suspicious/noDocumentCookie: the hint is a plain cookie
  document.cookie = "member=; Max-Age=0";
}

export const soldOut: Partial<QuoteLine> = {
  available: false,
  line_total: "0.00",
  problem: "out_of_stock",
  problem_detail: "Rupture de stock",
};
