import { beforeEach, expect, it, vi } from "vitest";
import { CART_KEY, writeCart } from "@/lib/cart-storage";

const line = (quantity: number) => ({ product_id: 1, variation_id: null, finish: null, quantity });
const settled = () => new Promise((resolve) => setTimeout(resolve));
const LINKS = `<member-link><a href="/auth">Se connecter</a><a href="/espace-membre" data-member hidden>Espace</a>
  <a href="/admin" data-role="admin staff" hidden>Admin</a></member-link>`;
const visible = () =>
  [...document.querySelectorAll("member-link a:not([hidden])")].map((a) => a.getAttribute("href"));

function cookie(text: string) {
  vi.spyOn(document, "cookie", "get").mockReturnValue(text);
}

function answerMe(roles: string[], authenticated = true) {
  const network = vi.fn(async () => Response.json({ authenticated, roles, favourites: [], csrf_token: "x" }));
  vi.stubGlobal("fetch", network);
  return network;
}

beforeEach(async () => {
  await import("./cart-count");
  await import("./member-link");
  const { forgetMe } = await import("@/lib/me");
  forgetMe();
});

it("counts the pieces of the cart and follows it", () => {
  writeCart([line(2)]);
  document.body.innerHTML = '<a><cart-count label="Articles dans le panier :" hidden></cart-count></a>';
  const count = document.querySelector("cart-count") as HTMLElement;
  expect(count.hidden).toBe(false);
  expect(count.textContent).toBe("Articles dans le panier : 2");
  expect(count.querySelector(".visually-hidden")?.textContent).toBe("Articles dans le panier : ");

  writeCart([line(12)]);
  expect(count.textContent).toBe("Articles dans le panier : 12");

  localStorage.setItem(CART_KEY, "{{{");
  dispatchEvent(new StorageEvent("storage", { key: CART_KEY }));
  expect(count.hidden).toBe(true);

  count.remove();
  writeCart([line(3)]);
  expect(count.hidden).toBe(true);
});

it("asks nothing and shows the sign-in link to visitors", async () => {
  const network = answerMe([]);
  cookie("remember=1; x=member=1");
  document.body.innerHTML = LINKS;
  await settled();
  expect(visible()).toEqual(["/auth"]);
  expect(network).not.toHaveBeenCalled();
});

it.each([
  ["a member", true, [], ["/espace-membre"]],
  ["an admin", true, ["admin"], ["/espace-membre", "/admin"]],
  ["a session that ended", false, [], ["/auth"]],
])("shows %s the right links", async (_who, authenticated, roles, links) => {
  const network = answerMe(roles, authenticated);
  cookie("a=b; member=1");
  document.body.innerHTML = LINKS + LINKS;
  expect(visible()).toEqual(["/espace-membre", "/espace-membre"]);
  await settled();
  expect(visible()).toEqual([...links, ...links]);
  expect(network).toHaveBeenCalledOnce();
});

it("shows what visitors see once the member has signed out in another tab", async () => {
  const network = answerMe(["admin"]);
  cookie("member=1");
  document.body.innerHTML = LINKS;
  await settled();
  document.dispatchEvent(new Event("visibilitychange"));
  expect(visible()).toEqual(["/espace-membre", "/admin"]);
  cookie("");
  document.dispatchEvent(new Event("visibilitychange"));
  expect(visible()).toEqual(["/auth"]);
  expect(network).toHaveBeenCalledOnce();
});

it("believes the cookie when nobody answers", async () => {
  cookie("member=1");
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("Failed to fetch");
  });
  document.body.innerHTML = LINKS;
  await settled();
  expect(visible()).toEqual(["/espace-membre"]);
});

it("says the notice that a redirect left, once", async () => {
  const { showPendingNotice } = await import("./notice");
  const written = vi.spyOn(document, "cookie", "set");
  cookie("member=1; notice=signed_in");
  document.body.innerHTML = `<div id="toasts" data-close="Fermer">
    <template data-notice="signed_out" data-kind="success" data-title="Déconnexion">x</template>
    <template data-notice="signed_in" data-kind="success" data-title="Connexion réussie"> Bienvenue ! </template></div>`;

  await showPendingNotice();

  expect(document.querySelector(".toast")?.textContent).toBe("Connexion réussieBienvenue !×");
  expect(written).toHaveBeenCalledExactlyOnceWith("notice=; Max-Age=0; Path=/; SameSite=Lax");
});

it.each(["", "notice=", "notice=unknown", 'notice="><img>', "xnotice=signed_in"])(
  "says nothing for the cookie %j",
  async (text) => {
    const { showPendingNotice } = await import("./notice");
    cookie(text);
    document.body.innerHTML =
      '<div id="toasts"><template data-notice="signed_in" data-title="x">x</template></div>';
    await showPendingNotice();
    expect(document.querySelector(".toast")).toBeNull();
  },
);
