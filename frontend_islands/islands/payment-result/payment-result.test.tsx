import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { $lines, addToCart, clearCart } from "@/lib/cart";
import { newCopy, writeCopy } from "@/lib/cart-copy";
import { CART_KEY, readCart } from "@/lib/cart-storage";
import { toast } from "@/lib/toast";
import { ATTEMPT_KEY, FORM_KEY, ORDERED_KEY, writeTab } from "@/purchase/tab-memory";
import { barriers } from "@/testing/accessibility";
import { type Asked, cartLine, json, problem, quoted, serve } from "@/testing/purchase";
import { renderIsland } from "@/testing/render";
import { PaymentResult } from "./index";

vi.mock("@/lib/toast");

const links = { cart: "/panier", orders: "/espace-membre?tab=orders", contact: "mailto:atelier@example.com" };
const SESSION = "cs_test_1";
const VERIFY = "/api/checkout/verify";

type Answer = (asked: Asked) => Response | Promise<Response>;

async function open(answer: Answer, session = SESSION) {
  const calls = serve({ [VERIFY]: answer });
  const drawn = await renderIsland(<PaymentResult session_id={session} paid={false} links={links} />);
  return { ...drawn, calls };
}
const title = () => screen.getByRole("heading", { level: 1 }).textContent?.replace(/\s/g, " ");
const targets = () =>
  screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]);
const paid = () => json({ payment_status: "paid", order_reference: "A1B2C3D4", order_url: "/commande/0b9e" });

beforeEach(() => {
  clearCart();
  addToCart(cartLine(quoted()), 2);
  vi.mocked(toast).mockReset();
});

it("confirms a payment that the server confirms, and empties the cart", async () => {
  sessionStorage.setItem(ATTEMPT_KEY, "{}");
  sessionStorage.setItem(FORM_KEY, "{}");
  const { calls, container } = await open(paid);

  expect(title()).toBe("Paiement confirmé !");
  expect(calls.map(({ method, path }) => [method, path])[0]).toEqual([
    "GET",
    `${VERIFY}?session_id=${SESSION}`,
  ]);
  expect([...container.querySelectorAll(".progress-steps__name")].map((step) => step.textContent)).toEqual([
    "Préparation",
    "Peinture",
    "Séchage",
    "Envoi",
  ]);
  expect(targets()).toEqual([["Suivre ma commande", "/commande/0b9e"]]);
  expect(vi.mocked(toast).mock.lastCall?.[0].title.replace(/\s/g, " ")).toBe("Paiement confirmé !");
  expect(readCart()).toEqual([]);
  expect($lines.get()).toEqual([]);
  expect(JSON.parse(localStorage.getItem(CART_KEY) ?? "")).toEqual({ version: 1, lines: [], names: {} });
  expect(sessionStorage.getItem(ATTEMPT_KEY)).toBeNull();
  expect(sessionStorage.getItem(FORM_KEY)).toBeNull();
  expect(await barriers(container)).toEqual([]);
});

it("links to the orders when the order is not this browser's", async () => {
  await open(() => json({ payment_status: "paid" }));
  expect(targets()).toEqual([["Suivre ma commande", "/espace-membre?tab=orders"]]);
  expect(screen.queryByText(/Commande/)).toBeNull();
});

it("leaves the cart of a browser alone that did not order what was paid", async () => {
  await open(() => json({ payment_status: "paid" }));
  expect(title()).toBe("Paiement confirmé !");
  expect(readCart()).toEqual([{ ...cartLine(quoted()), quantity: 2 }]);
});

it("takes out what this tab ordered when the browser's session is over", async () => {
  writeTab(ORDERED_KEY, { reference: "A1B2C3D4", lines: readCart() });
  await open(() => json({ payment_status: "paid" }));
  expect(readCart()).toEqual([]);
});

it("shows what was bought, as the server drew it for this browser", async () => {
  document.body.append(Object.assign(document.createElement("div"), { id: "achat" }));
  const asked = serve({
    [VERIFY]: paid,
    "/": () => new Response("<h2>Commande A1B2C3D4</h2>", { headers: { "Content-Type": "text/html" } }),
  });
  await renderIsland(<PaymentResult session_id={SESSION} paid={false} links={links} />);

  expect(await screen.findByRole("heading", { name: "Commande A1B2C3D4" })).toBeTruthy();
  expect(asked).toHaveLength(2);
  document.getElementById("achat")?.remove();
});

it("asks nothing about a payment that the page knows to be paid", async () => {
  const calls = serve({});
  await renderIsland(<PaymentResult session_id={SESSION} paid links={links} />);

  expect(title()).toBe("Paiement confirmé !");
  expect(targets()).toEqual([["Suivre ma commande", links.orders]]);
  expect(readCart()).toEqual([]);
  expect(calls).toEqual([]);
});

it("takes out what this tab ordered, and leaves what was added since", async () => {
  writeTab(ORDERED_KEY, { reference: "A1B2C3D4", lines: readCart() });
  addToCart(cartLine(quoted()), 1);
  await open(paid);

  expect(readCart()).toEqual([{ ...cartLine(quoted()), quantity: 1 }]);
  expect(sessionStorage.getItem(ORDERED_KEY)).toBeNull();
});

it("empties the whole cart when this tab ordered something else", async () => {
  writeTab(ORDERED_KEY, { reference: "ANOTHER1", lines: [] });
  await open(paid);
  expect(readCart()).toEqual([]);
});

it("follows the account's cart, which the server has emptied of what was paid", async () => {
  vi.spyOn(document, "cookie", "get").mockReturnValue("member=1");
  const mine = readCart();
  writeCopy({ ...newCopy("a".repeat(16)), version: 1, lines: mine });
  const later = { product_id: 77, variation_id: null, finish: null, quantity: 1 };
  const me = { authenticated: true, roles: [], favourites: [], csrf_token: "t" };
  const cart = { owner: "a".repeat(16), version: 2 };
  const calls = serve({
    [VERIFY]: paid,
    "/api/me": () => json({ ...me, cart }),
    "/api/cart/saved": () => json({ ...cart, lines: [{ ...later, name: "Hibou" }] }),
  });
  await renderIsland(<PaymentResult session_id={SESSION} paid={false} links={links} />);

  await waitFor(() => expect(readCart()).toEqual([later]));
  expect(calls.filter(({ method }) => method === "PUT")).toEqual([]);
});

it("empties the cart of a guest whose session had ended under the order", async () => {
  writeCopy({ ...newCopy("a".repeat(16)), version: 1, lines: readCart(), isKept: true });
  writeTab(ORDERED_KEY, { reference: "A1B2C3D4", lines: readCart() });
  await open(paid);
  expect(readCart()).toEqual([]);
});

it("leaves a new cart alone when the page of the same payment is opened again", async () => {
  const first = await open(paid);
  first.unmount();
  addToCart(cartLine(quoted()), 1);
  await open(paid);

  expect(title()).toBe("Paiement confirmé !");
  expect(readCart()).toHaveLength(1);
});

it("leaves a new cart alone when the page of an earlier payment is opened again", async () => {
  const show = (session: string) =>
    renderIsland(<PaymentResult session_id={session} paid={true} links={links} />);
  for (const session of ["cs_1", "cs_2"]) {
    addToCart(cartLine(quoted()), 1);
    (await show(session)).unmount();
    expect(readCart()).toEqual([]);
  }
  vi.mocked(toast).mockReset();
  addToCart(cartLine(quoted()), 1);
  await show("cs_1");

  expect(title()).toBe("Paiement confirmé !");
  expect(readCart()).toEqual([{ ...cartLine(quoted()), quantity: 1 }]);
  expect(toast).not.toHaveBeenCalled();
});

it("says of a payment that goes back that it came too late, whatever had closed the order", async () => {
  await open(() => json({ payment_status: "paid", refunded: true }));
  expect(
    screen.getByText(/^Le paiement est arrivé trop tard pour cette commande\. La somme vous est rendue/),
  ).toBeTruthy();
});

it.each([
  ["failed", { payment_status: "failed" }, "Paiement non confirmé"],
  ["expired", { payment_status: "expired" }, "Page de paiement expirée"],
  ["refunded", { payment_status: "paid", refunded: true }, "Paiement remboursé"],
  ["something unheard of", { payment_status: "great" }, "Erreur de vérification"],
  ["not an answer", [], "Erreur de vérification"],
])("keeps the cart when the payment is %s", async (_state, answer, heading) => {
  const { container } = await open(() => json(answer));
  expect(title()).toBe(heading);
  expect(readCart()).toEqual([cartLine(quoted())]);
  expect(toast).not.toHaveBeenCalled();
  expect(await barriers(container)).toEqual([]);
});

it("offers a failed payment another try and somebody to ask", async () => {
  await open(() => json({ payment_status: "failed" }));
  expect(targets()).toEqual([
    ["Réessayer", "/panier"],
    ["Nous écrire", "mailto:atelier@example.com"],
  ]);
});

it("says where the money of a payment that came too late goes", async () => {
  await open(() => json({ payment_status: "expired", refunded: true }));
  expect(screen.getByText(/La somme vous est rendue/)).toBeTruthy();
});

it.each([
  ["an unknown session", () => problem(404, "unknown_session", "Aucun paiement à vérifier."), SESSION],
  ["no session", () => json({ payment_status: "paid" }), ""],
])("confirms nothing for %s", async (_what, answer, session) => {
  const { calls } = await open(answer, session);
  expect(title()).toBe("Aucun paiement à vérifier");
  expect(targets()).toEqual([
    ["Mes commandes", "/espace-membre?tab=orders"],
    ["Retour au panier", "/panier"],
  ]);
  expect(calls).toHaveLength(session ? 1 : 0);
  expect(readCart()).toEqual([cartLine(quoted())]);
});

it("asks again while the payment is pending, and confirms it when it comes", async () => {
  vi.useFakeTimers();
  let round = 0;
  const { calls } = await open(() => {
    round += 1;
    return round < 3 ? json({ payment_status: "pending" }) : paid();
  });
  expect(title()).toBe("Vérification du paiement…");
  await act(() => vi.advanceTimersByTimeAsync(1_999));
  expect(calls).toHaveLength(1);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(calls).toHaveLength(2);
  expect(title()).toBe("Vérification du paiement…");
  expect(readCart()).toHaveLength(1);
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(title()).toBe("Paiement confirmé !");
  expect(readCart()).toEqual([]);
});

it("stops asking after half a minute, keeps the cart and promises a mail", async () => {
  vi.useFakeTimers();
  const { calls } = await open(() => json({ payment_status: "pending" }));
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(title()).toBe("Paiement en cours de vérification");
  // Whoever it waits for: the bank, the provider that does not answer, or the workshop.
  expect(
    screen.getByText(/^Le paiement n'est pas encore confirmé\. .*: nous vous écrirons dès qu'il le sera\./),
  ).toBeTruthy();
  expect(calls).toHaveLength(7);
  await act(() => vi.advanceTimersByTimeAsync(600_000));
  expect(calls).toHaveLength(7);
  expect(readCart()).toEqual([cartLine(quoted())]);
});

it.each([
  ["no network", () => Promise.reject(new TypeError("Failed to fetch")), "La boutique ne répond pas."],
  [
    "an error",
    () => problem(500, "server_error", "Une erreur est survenue de notre côté."),
    "Une erreur est survenue de notre côté.",
  ],
  ["too many questions", () => problem(429, "throttled", "Trop de demandes."), "Trop de demandes."],
])("offers to verify again after %s", async (_what, fail, sentence) => {
  let answer: Answer = fail;
  const { user } = await open((asked) => answer(asked));
  expect(title()).toBe("Erreur de vérification");
  expect(screen.getByText(new RegExp(sentence))).toBeTruthy();
  expect(readCart()).toEqual([cartLine(quoted())]);

  answer = paid;
  await user.click(screen.getByRole("button", { name: "Vérifier à nouveau" }));
  expect(await screen.findByRole("heading", { name: /^Paiement confirmé/ })).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole("heading", { level: 1 }));
  // What changes is announced, and there once.
  expect(screen.getByRole("status").textContent).toBe(document.activeElement?.textContent);
  expect(screen.getByRole("status").contains(document.activeElement)).toBe(true);
  await waitFor(() => expect(readCart()).toEqual([]));
});

it.each([
  ["en", "Payment confirmed!"],
  ["es", "¡Pago confirmado!"],
  ["de", "Zahlung bestätigt!"],
] as const)("speaks %s", async (language, heading) => {
  serve({ [VERIFY]: paid });
  await renderIsland(<PaymentResult session_id={SESSION} paid={false} links={links} />, { language });
  expect(title()).toBe(heading);
});
