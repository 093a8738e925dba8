/**
 * The shop's side of a saved cart, with versions as the real one has them, and the browsers that talk to it. Each browser
 * has a storage and modules of its own; what it asks can be held up, lost on the way there or on the way back.
 */
import { vi } from "vitest";
import type { SavedCartWrite } from "@/api/types";
import { type CartLine, lineKey, MAX_LINES, MAX_QUANTITY } from "@/lib/cart-storage";

type Fate = "arrives" | "is lost" | "loses its answer";

export class CartServer {
  version = 0;
  lines: CartLine[] = [];
  owner = "a".repeat(16);
  isSignedIn = true;
  /** What becomes of the next calls that write; then all arrive. */
  fates: Fate[] = [];
  /** Runs before the next write is looked at: another device that is faster. */
  before: (() => void) | undefined;
  calls: string[] = [];
  #writes = new Map<string, number>();

  /** The quantities by product. */
  get cart(): Record<number, number> {
    return Object.fromEntries(this.lines.map(({ product_id, quantity }) => [product_id, quantity]));
  }

  /** What another program wrote: a payment, say. */
  set(lines: CartLine[]): void {
    this.lines = lines;
    this.version += 1;
  }

  answer = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? "GET";
    this.calls.push(`${method} ${path}`);
    if (path === "/api/me") return Response.json(this.#me());
    if (path !== "/api/cart/saved") throw new Error(`Nothing answers ${path}.`);
    if (!this.isSignedIn) return this.#refuse(401, "not_authenticated");
    if (method === "GET") return Response.json(this.#document());
    const fate = this.fates.shift() ?? "arrives";
    if (fate === "is lost") throw new TypeError("Failed to fetch");
    const before = this.before;
    this.before = undefined;
    before?.();
    const given = this.#write(JSON.parse(String(init.body)));
    if (fate === "loses its answer") throw new TypeError("Failed to fetch");
    return given;
  };

  #me() {
    const cart = { owner: this.owner, version: this.version };
    return {
      authenticated: this.isSignedIn,
      roles: [],
      favourites: [],
      csrf_token: "t",
      ...(this.isSignedIn && { cart }),
    };
  }

  #document() {
    const lines = this.lines.map((line) => ({ ...line, name: `Pièce ${line.product_id}` }));
    return { owner: this.owner, version: this.version, lines };
  }

  #write({ lines, version, device = "", number = 1 }: SavedCartWrite): Response {
    if (number <= (this.#writes.get(device) ?? 0)) return Response.json(this.#document());
    const wanted = new Map((lines as CartLine[]).map((line) => [lineKey(line), line]));
    if (version == null) {
      for (const line of this.lines) {
        const quantity = Math.max(line.quantity, wanted.get(lineKey(line))?.quantity ?? 0);
        wanted.set(lineKey(line), { ...line, quantity: Math.min(quantity, MAX_QUANTITY) });
      }
    } else if (version !== this.version) {
      return this.#refuse(409, "cart_conflict", { cart: this.#document() });
    }
    if (wanted.size > MAX_LINES) return this.#refuse(409, "cart_full");
    this.#writes.set(device, number);
    this.set([...wanted.values()]);
    return Response.json(this.#document());
  }

  #refuse(status: number, code: string, more: object = {}): Response {
    return Response.json({ status, code, detail: code, ...more }, { status });
  }
}

/** One browser: its storage, and the page that is open in it. */
export class Browser {
  brought: string[] = [];
  full: string[] = [];
  #stored = new Map<string, string>();
  #cookie = "";

  constructor(readonly server: CartServer) {}

  /** Opens a page, does something on it and lets everything arrive. Pages of several browsers follow each other. */
  async page(act: (cart: typeof import("@/lib/cart")) => void | Promise<void> = () => {}): Promise<void> {
    localStorage.clear();
    for (const [key, text] of this.#stored) localStorage.setItem(key, text);
    vi.resetModules();
    vi.spyOn(document, "cookie", "get").mockImplementation(() => this.#cookie);
    vi.stubGlobal("fetch", async (path: string, init?: RequestInit) => {
      const given = await this.server.answer(path, init);
      // Whoever asks without a session is sent the cookie's end.
      if (!this.server.isSignedIn) this.#cookie = this.#cookie.replace("member=1", "");
      return given;
    });
    const cart = await import("@/lib/cart");
    const { listenToAccount, syncCart } = await import("@/lib/saved-cart");
    const { listen } = await import("@/lib/events");
    listenToAccount({
      onBrought: (lines) => this.brought.push(...lines.map(({ name, quantity }) => `${name} × ${quantity}`)),
      onFull: (detail) => this.full.push(detail),
    });
    cart.$lines.get();
    if (/member=1/.test(this.#cookie)) await syncCart();
    const off = listen("cart:changed", () => void syncCart());
    await act(cart);
    if (/member=1/.test(this.#cookie)) await syncCart();
    off();
    this.#stored = new Map(Object.entries({ ...localStorage }));
  }

  signIn(): void {
    this.#cookie = "member=1";
  }

  signOut(): void {
    this.#cookie = "notice=signed_out";
  }

  /** The session's end, which nobody asked for. */
  expire(): void {
    this.#cookie = "";
  }

  get cart(): Record<number, number> {
    const { lines = [] } = JSON.parse(this.#stored.get("cart") ?? "{}");
    return Object.fromEntries(
      (lines as CartLine[]).map(({ product_id, quantity }) => [product_id, quantity]),
    );
  }

  get keys(): string[] {
    return [...this.#stored.keys()].sort();
  }
}
