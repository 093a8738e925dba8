import { afterEach, expect, it, vi } from "vitest";
import type { AdminProduct, StaffProductFormProps } from "@/api/types";
import { renderStaff } from "@/testing/staff";
import { ProductEditor } from "./product-editor";

const PROPS = {
  product_id: 7,
  categories: [{ id: 1, name: "Mangas", slug: "mangas", offers_finishes: true }],
  countries: [],
  safety_classes: [],
  promotion_types: [
    { code: "buy_2_get_1", label: "2 achetés, 1 offert" },
    { code: "percent", label: "Réduction en pourcentage" },
  ],
  rights: { edit: true, prices: true, stock: true, remove: true, history: true },
  trash_days: 30,
} as StaffProductFormProps;

afterEach(() => vi.unstubAllGlobals());

/** Switches the promotion of a product as often as that, and returns what is sent of it then. */
async function switched(promotion: Partial<AdminProduct>, times: number) {
  const stored = {
    ...{ id: 7, name: "Ours", category_id: 1, price: "40.00", images: [], variants: [], source: "" },
    ...{ picked_similar_names: [], stale_texts: [], created_at: "2026-11-01T10:00:00+01:00" },
    ...promotion,
  } as unknown as AdminProduct;
  const sent: Record<string, unknown>[] = [];
  vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "x" });
    if (method === "PATCH") sent.push(JSON.parse(String(body)));
    return Response.json(
      path.endsWith("preview") ? { badge: "", text: "", rows: [], example: null } : stored,
    );
  });
  const { user, screen } = await renderStaff(<ProductEditor {...PROPS} />);
  const flag = await screen.findByLabelText("Activer une promotion");
  for (let time = 0; time < times; time += 1) await user.click(flag);
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  return sent[0];
}

const ENDED = { promotion_active: false, promotion_type: "percent", promotion_percent: 20 } as const;
const FIRST = { promotion_type: "buy_2_get_1", promotion_buy_quantity: 2, promotion_get_quantity: 1 };

it("switches on the promotion that was ended elsewhere, not another one", async () => {
  expect(await switched(ENDED, 1)).toEqual({ promotion_active: true });
});

it("begins with « 2 achetés, 1 offert » where there is none", async () => {
  expect(await switched({ promotion_active: false }, 1)).toEqual({ promotion_active: true, ...FIRST });
});

it("empties what is switched off", async () => {
  const off = { promotion_active: false, promotion_type: "", promotion_percent: null };
  expect(await switched({ ...ENDED, promotion_active: true }, 1)).toEqual(off);
});

it("begins anew after it", async () => {
  const anew = { promotion_active: true, ...FIRST, promotion_percent: null };
  expect(await switched(ENDED, 3)).toEqual(anew);
});
