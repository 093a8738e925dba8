import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { goTo } from "@/lib/navigate";
import { mount } from "./index";

vi.mock("@/lib/navigate");

const PAGE = `
  <x-island>
    <h1 id="titre">Figurines</h1>
    <nav>
      <a data-refine href="/produits?category=mangas">Mangas</a>
      <a data-refine href="/produits?category=bust">Bust</a>
    </nav>
    <form data-search action="/produits">
      <input type="search" name="search">
      <input type="hidden" name="category">
      <a data-refine href="/produits" id="clear">Effacer</a>
    </form>
    <div id="resultats"><template data-replace="titre">Figurines</template><p data-announce data-title="Figurines">12 figurines</p></div>
  </x-island>
  <div id="live"></div>`;

const fragment = (text: string) => `<p data-announce>${text}</p><a data-refine href="/produits?page=2">2</a>`;
const answer = (html: string, more: ResponseInit = {}) =>
  new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" }, ...more });

const network = vi.fn<typeof fetch>();
let unmount = () => {};

async function start(address = "/produits") {
  history.replaceState(null, "", address);
  document.body.innerHTML = PAGE;
  const host = document.querySelector<HTMLElement>("x-island");
  if (!host) throw new Error("The page has no island.");
  Element.prototype.scrollIntoView = vi.fn();
  unmount = await mount(host, null as never);
}

const $ = <Type extends HTMLElement>(selector: string) => {
  const found = document.querySelector<Type>(selector);
  if (!found) throw new Error(`Nothing is ${selector}.`);
  return found;
};
const results = () => $("#resultats");
const settled = () => vi.advanceTimersByTimeAsync(0);
const here = () => location.pathname + location.search;

function type(text: string) {
  const field = $<HTMLInputElement>("input[type=search]");
  field.focus();
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

function click(selector: string, init: MouseEventInit = {}) {
  const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...init });
  $(selector).dispatchEvent(event);
  return event;
}

beforeEach(() => {
  vi.useFakeTimers();
  network.mockReset();
  network.mockImplementation(async () => answer(fragment("1 figurine")));
  vi.mocked(goTo).mockReset();
  vi.stubGlobal("fetch", network);
});

afterEach(() => unmount());

it("asks for results after a pause in typing, with the page's other wishes", async () => {
  await start("/produits?category=bust&page=3");
  $<HTMLInputElement>("input[name=category]").value = "bust";
  const entries = history.length;

  type("gar");
  await vi.advanceTimersByTimeAsync(99);
  expect(network).not.toHaveBeenCalled();
  type("gardien");
  await vi.advanceTimersByTimeAsync(100);

  const [address, request] = network.mock.calls[0] ?? [];
  expect(network).toHaveBeenCalledTimes(1);
  expect(String(address)).toBe("http://localhost:3000/produits?category=bust&search=gardien");
  expect(request?.headers).toMatchObject({ "X-Fragment": "results" });
  expect(results().textContent).toContain("1 figurine");
  expect($("#live").textContent).toBe("1 figurine");
  expect(here()).toBe("/produits?category=bust&search=gardien");
  expect(history.length).toBe(entries + 1);
});

it("makes one entry of the history for a word, however many pauses it took", async () => {
  await start();
  const entries = history.length;
  for (const text of ["g", "ga", "gar"]) {
    type(text);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(network).toHaveBeenCalledTimes(3);
  expect(here()).toBe("/produits?search=gar");
  expect(history.length).toBe(entries + 1);
});

it("shows the last answer asked for, whatever order they come in", async () => {
  await start();
  let late: (response: Response) => void = () => {};
  network.mockImplementationOnce(
    (_address, request) =>
      new Promise((resolve, reject) => {
        late = resolve;
        request?.signal?.addEventListener("abort", () => reject(new DOMException("off", "AbortError")));
      }),
  );
  type("a");
  await vi.advanceTimersByTimeAsync(100);
  expect(results().getAttribute("aria-busy")).toBe("true");
  network.mockResolvedValueOnce(answer(fragment("second")));
  type("ab");
  await vi.advanceTimersByTimeAsync(100);
  late(answer(fragment("first")));
  await settled();

  expect(results().textContent).toContain("second");
  expect(results().hasAttribute("aria-busy")).toBe(false);
  expect(goTo).not.toHaveBeenCalled();
});

it("is not busy any more when the letters are taken back", async () => {
  await start();
  network.mockImplementationOnce(() => new Promise(() => {}));
  type("a");
  await vi.advanceTimersByTimeAsync(100);
  type("");
  await vi.advanceTimersByTimeAsync(100);

  expect(here()).toBe("/produits");
  expect(results().hasAttribute("aria-busy")).toBe(false);
  expect(results().textContent).toContain("12 figurines");
});

it("follows a filter, marks it and brings the results into view", async () => {
  await start();
  const event = click('a[href$="bust"]');
  await settled();

  expect(event.defaultPrevented).toBe(true);
  expect(here()).toBe("/produits?category=bust");
  expect($('a[href$="bust"]').getAttribute("aria-current")).toBe("true");
  expect($('a[href$="mangas"]').hasAttribute("aria-current")).toBe(false);
  expect($<HTMLInputElement>("input[name=category]").value).toBe("bust");
  expect(results().scrollIntoView).toHaveBeenCalledOnce();
});

it("sorts without reloading and keeps the order in the filters", async () => {
  await start();
  const sort = document.createElement("select");
  sort.name = "sort";
  sort.innerHTML = '<option value=""></option><option value="price"></option>';
  $("form").append(sort);
  sort.value = "price";
  sort.dispatchEvent(new Event("input", { bubbles: true }));
  await vi.advanceTimersByTimeAsync(100);
  expect(here()).toBe("/produits?sort=price");
  expect($('a[href*="bust"]').getAttribute("href")).toBe("/produits?category=bust&sort=price");

  sort.value = "";
  sort.dispatchEvent(new Event("input", { bubbles: true }));
  await vi.advanceTimersByTimeAsync(100);
  expect(here()).toBe("/produits");
});

it("keeps the search in a filter chosen after it, and drops it when it is cleared", async () => {
  await start();
  type("gar");
  await vi.advanceTimersByTimeAsync(100);
  expect($('a[href*="bust"]').getAttribute("href")).toBe("/produits?category=bust&search=gar");
  click('a[href*="bust"]');
  await settled();
  expect(here()).toBe("/produits?category=bust&search=gar");

  click("#clear");
  await settled();
  expect($('a[href*="bust"]').getAttribute("href")).toBe("/produits?category=bust");
});

it("renames the page with what is shown, there and back", async () => {
  document.title = "Figurines · L'Établi";
  await start();
  network.mockResolvedValueOnce(
    answer(
      '<template data-replace="titre">Bust <b>$&amp;</b></template><template data-replace="nothing">x</template><p data-announce data-title="Bust $&amp;">3 figurines</p>',
    ),
  );
  click('a[href$="bust"]');
  await settled();
  expect($("#titre").innerHTML).toBe("Bust <b>$&amp;</b>");
  expect(document.title).toBe("Bust $& · L'Établi");

  history.replaceState(null, "", "/produits");
  window.dispatchEvent(new PopStateEvent("popstate"));
  await settled();
  expect($("#titre").textContent).toBe("Figurines");
  expect(document.title).toBe("Figurines · L'Établi");
});

it("clears the search field with the search", async () => {
  await start("/produits?search=gardien");
  const field = $<HTMLInputElement>("input[type=search]");
  field.value = "gardien";
  click("#clear");
  await settled();

  expect(field.value).toBe("");
  expect(here()).toBe("/produits");
});

it("gives the results the focus that a replaced link had", async () => {
  await start();
  type("g");
  await vi.advanceTimersByTimeAsync(100);
  $("#resultats a").focus();
  click("#resultats a");
  await settled();

  expect(here()).toBe("/produits?page=2");
  expect(document.activeElement).toBe(results());
});

it.each([
  ["a new tab", { ctrlKey: true }],
  ["a new window", { shiftKey: true }],
  ["the middle button", { button: 1 }],
])("leaves a link to the browser: %s", async (_what, init) => {
  await start();
  expect(click('a[href$="bust"]', init).defaultPrevented).toBe(false);
  expect(network).not.toHaveBeenCalled();
});

it("leaves links to other pages to the browser", async () => {
  await start();
  $<HTMLAnchorElement>("#clear").href = "/en/products";
  expect(click("#clear").defaultPrevented).toBe(false);
  $<HTMLAnchorElement>("#clear").href = "https://example.com/produits";
  expect(click("#clear").defaultPrevented).toBe(false);
});

it("goes back without asking again", async () => {
  await start();
  click('a[href$="bust"]');
  await settled();
  expect(network).toHaveBeenCalledTimes(1);

  history.replaceState(null, "", "/produits");
  window.dispatchEvent(new PopStateEvent("popstate"));
  await settled();

  expect(results().textContent).toBe("12 figurines");
  expect($('a[href$="bust"]').hasAttribute("aria-current")).toBe(false);
  expect(network).toHaveBeenCalledTimes(1);
});

it("gives the field that was typed in what it held, going back from it", async () => {
  await start();
  type("gar");
  await vi.advanceTimersByTimeAsync(100);

  history.replaceState(null, "", "/produits");
  window.dispatchEvent(new PopStateEvent("popstate"));
  await settled();

  const field = $<HTMLInputElement>("input[type=search]");
  expect(document.activeElement).toBe(field);
  expect(field.value).toBe("");
});

it("leaves what is typed alone when an answer comes before the next question", async () => {
  await start();
  const other = document.createElement("input");
  other.name = "price_min";
  $("form").append(other);
  let arrive: (response: Response) => void = () => {};
  network.mockImplementationOnce(
    (_address, request) =>
      new Promise((resolve, reject) => {
        arrive = resolve;
        request?.signal?.addEventListener("abort", () => reject(new DOMException("off", "AbortError")));
      }),
  );
  click('a[href$="bust"]');
  other.value = "20";
  other.dispatchEvent(new InputEvent("input", { bubbles: true }));
  arrive(answer(fragment("3 figurines")));
  await settled();
  expect(other.value).toBe("20");

  await vi.advanceTimersByTimeAsync(100);
  expect(here()).toBe("/produits?category=bust&price_min=20");
});

it("submits at once", async () => {
  await start();
  type("gardien");
  const event = new SubmitEvent("submit", { bubbles: true, cancelable: true });
  $("form").dispatchEvent(event);
  await vi.advanceTimersByTimeAsync(500);

  expect(event.defaultPrevented).toBe(true);
  expect(network).toHaveBeenCalledTimes(1);
  expect(here()).toBe("/produits?search=gardien");
});

it.each([
  ["no network", async () => Promise.reject(new TypeError("Failed to fetch"))],
  ["an error", async () => answer("<p>Erreur</p>", { status: 503 })],
  ["a whole page", async () => answer("<!doctype html><html lang=fr></html>")],
  ["something that is no HTML", async () => Response.json({})],
])("goes to the address after %s", async (_what, response) => {
  await start();
  network.mockImplementationOnce(response);
  click('a[href$="bust"]');
  await settled();

  expect(goTo).toHaveBeenCalledExactlyOnceWith(new URL("http://localhost:3000/produits?category=bust"));
  expect(results().textContent).toBe("12 figurines");
});

it("hears nothing any more once it is taken off", async () => {
  await start();
  unmount();
  type("g");
  await vi.advanceTimersByTimeAsync(200);
  expect(click('a[href$="bust"]').defaultPrevented).toBe(false);
  expect(network).not.toHaveBeenCalled();
});

it("fails, and leaves the page as it is, where there is nothing to search in", () => {
  expect(() => mount(document.createElement("x-island"), null as never)).toThrow(
    "no results or no search form",
  );
});
