import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { addToCart } from "@/lib/cart";
import { newCopy, readCopy, writeCopy } from "@/lib/cart-copy";
import { forgetAccount, readCart } from "@/lib/cart-storage";
import { forgetMe } from "@/lib/me";
import { replaceBy } from "@/lib/navigate";
import { readAddressPart } from "@/purchase/tab-memory";
import {
  field,
  fillInAddress,
  openCheckout,
  payButton,
  props,
  startShopping,
  termsBox,
} from "@/testing/checkout";
import { cartLine, json, member, problem, quote, quoted, serve, visitor } from "@/testing/purchase";
import { renderIsland } from "@/testing/render";
import { Checkout } from "./index";

vi.mock("@/lib/toast");
vi.mock("@/lib/navigate");

const owner = "a".repeat(16);
const account = (email: string, of: string) => () =>
  json({
    authenticated: true,
    email,
    roles: [],
    favourites: [],
    csrf_token: "t",
    cart: { owner: of, version: 1 },
  });

function setCookie(isMember: boolean) {
  // biome-ignore lint/suspicious/noDocumentCookie: the hint is a plain cookie
  document.cookie = isMember ? "member=1" : "member=; Max-Age=0";
}

beforeEach(() => {
  startShopping();
  setCookie(true);
  writeCopy({ ...newCopy(owner), version: 1, lines: readCart(), isNew: false });
});

/** A member whose session ends while they type, and is asked for with the order. */
async function endSession() {
  let me = member;
  const drawn = await openCheckout({
    me: () => me(),
    checkout: () =>
      problem(409, "total_changed", "Le total a changé.", {
        quote: quote([quoted({ line_total: "400.00" })], { total: "400.00" }),
      }),
  });
  await screen.findByText("Connecté avec client@example.com");
  await fillInAddress(drawn.user);
  setCookie(false);
  me = visitor;
  // What other parts of the page do whenever they look.
  expect(readCart()).toHaveLength(1);
  await drawn.user.click(payButton());
  await screen.findByText(/Votre session a pris fin/);
  return drawn;
}

it("keeps cart and form of whose session ended when the price changes", async () => {
  const { user, orders } = await endSession();
  await user.click(screen.getByRole("tab", { name: "Sans compte" }));
  await user.click(payButton());
  await user.click(await screen.findByRole("button", { name: /Accepter le nouveau total/ }));

  await waitFor(() => expect(payButton().getAttribute("aria-disabled")).toBe("false"));
  expect(orders()).toHaveLength(1);
  expect(replaceBy).not.toHaveBeenCalled();
  expect(readCart()).toHaveLength(1);
  expect(field("Prénom")).toHaveProperty("value", "Ada");
});

it("finds cart and form again after signing in on another page", async () => {
  const { unmount } = await endSession();
  unmount();
  // The page to sign in reads the cart for its header.
  expect(readCart()).toHaveLength(1);
  setCookie(true);
  forgetMe();
  await openCheckout({ me: account("client@example.com", owner) });

  await screen.findByText("Connecté avec client@example.com");
  expect(field("Adresse")).toHaveProperty("value", "1 rue du Four");
  expect(replaceBy).not.toHaveBeenCalled();
});

it("keeps nothing for another member who signs in afterwards", async () => {
  const { unmount } = await endSession();
  unmount();
  setCookie(true);
  forgetMe();
  serve({
    "/api/me": account("autre@example.com", "b".repeat(16)),
    "/api/me/addresses": () => json([]),
    "/api/cart/quote": () => json(quote()),
  });
  await renderIsland(<Checkout {...props} />);

  await waitFor(() => expect(replaceBy).toHaveBeenCalledWith("/panier"));
  expect(readCart()).toEqual([]);
  expect(readCopy()).toBeNull();
  expect(sessionStorage).toHaveLength(0);
});

it("shows nobody the form of a member who signed out in another tab", async () => {
  const shop = { me: account("client@example.com", owner) };
  const { user, unmount } = await openCheckout(shop);
  await screen.findByText("Connecté avec client@example.com");
  await fillInAddress(user);
  unmount();
  expect(readAddressPart().postalCode).toBe("75006");
  const typed = Object.entries(sessionStorage);

  // What the other tab does when it looks at the cart after signing out.
  setCookie(false);
  forgetAccount([]);
  for (const [key, text] of typed) sessionStorage.setItem(key, text);
  forgetMe();
  addToCart(cartLine(quoted()), 1);
  expect(readAddressPart().postalCode).toBe("");
  await openCheckout();
  expect(field("Prénom")).toHaveProperty("value", "");
  expect(field("Adresse")).toHaveProperty("value", "");
});

it("orders for no other member who signed in in another tab before that is said", async () => {
  let me = account("client@example.com", owner);
  const { user, orders } = await openCheckout({ me: () => me() });
  await screen.findByText("Connecté avec client@example.com");
  await fillInAddress(user);
  const other = "b".repeat(16);
  me = account("autre@example.com", other);
  act(() => writeCopy({ ...newCopy(other), version: 1, lines: readCart(), isNew: false }));
  await user.click(payButton());

  const notice = await screen.findByText(/Un autre compte est connecté ici à présent \(autre@example.com\)/);
  expect(notice.closest("[tabindex]")).toBe(document.activeElement);
  expect(orders()).toHaveLength(0);
  expect(screen.getByText("Connecté avec autre@example.com")).toBeTruthy();

  expect(termsBox()).toHaveProperty("checked", true);
  await user.click(payButton());
  await waitFor(() => expect(orders()).toHaveLength(1));
  expect(orders()[0]?.body.customer.email).toBe("autre@example.com");
});
