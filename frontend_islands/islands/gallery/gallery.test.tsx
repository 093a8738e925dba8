import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { goTo } from "@/lib/navigate";
import { barriers } from "@/testing/accessibility";
import { renderIsland } from "@/testing/render";
import { Gallery } from "./index";
import { openViewer } from "./viewer";

vi.mock("./viewer");
vi.mock("@/lib/navigate");

beforeEach(() => {
  vi.mocked(openViewer).mockReset();
  vi.mocked(goTo).mockReset();
});

const image = (name: string) => ({
  url: `/media/${name}.jpg`,
  width: 1200,
  height: 1200,
  alt: `Vue ${name}`,
  sources: [
    { type: "image/avif", srcset: `/media/${name}-640.avif 640w` },
    { type: "image/jpeg", srcset: `/media/${name}-640.jpg 640w` },
  ],
});
const images = [image("face"), image("dos"), image("grand")];

const shown = () => document.querySelector(".gallery__photo img")?.getAttribute("alt");
const count = () => document.querySelector(".gallery__count")?.textContent;
const thumbs = () => within(screen.getByRole("list")).getAllByRole("button");
const photo = () => screen.getByRole<HTMLAnchorElement>("link");

const start = (given = images, fallback = "") =>
  renderIsland(<Gallery name="Gardien" images={given} />, { fallback });

it("shows the first photo, all thumbnails and the position", async () => {
  await start();

  expect(shown()).toBe("Vue face");
  expect(count()).toBe("1 / 3");
  expect(thumbs()).toHaveLength(3);
  expect(screen.getByRole("list", { name: "Photos\u00a0: Gardien" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Vue dos Afficher la photo 2 sur 3" })).toBe(thumbs()[1]);
  expect(thumbs().map((thumb) => thumb.getAttribute("aria-current"))).toEqual(["true", null, null]);
  expect(photo().getAttribute("href")).toBe("/media/face.jpg");
});

it("starts at the photo that a finger turned to before it was there", async () => {
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(390);
  vi.spyOn(Element.prototype, "scrollLeft", "get").mockReturnValue(760);

  await start(images, '<ul class="gallery__strip"></ul>');

  expect(count()).toBe("3 / 3");
});

it("uses the very files and sizes that the server's version shows", async () => {
  await start(
    images,
    '<a class="gallery__photo"><img sizes="50vw"></a>' +
      '<a class="gallery__thumb"><img sizes="50vw"></a><a class="gallery__thumb"><img sizes="5rem"></a>',
  );
  const [first, second, third] = document.querySelectorAll("picture");
  expect(first?.querySelector("source")?.outerHTML).toBe(
    '<source type="image/avif" srcset="/media/face-640.avif 640w" sizes="50vw">',
  );
  const img = first?.querySelector("img");
  expect([img?.srcset, img?.sizes, img?.getAttribute("src")]).toEqual([
    "/media/face-640.jpg 640w",
    "50vw",
    "/media/face.jpg",
  ]);
  expect(second?.querySelector("source")?.sizes).toBe("50vw");
  expect(third?.querySelector("source")?.sizes).toBe("5rem");
  expect(document.querySelectorAll("source")).toHaveLength(4);
});

it("shows a photo whose smaller files do not exist yet", async () => {
  await start([{ ...image("face"), sources: [] }]);
  const img = document.querySelector("picture img");
  expect(document.querySelector("source")).toBeNull();
  expect(img?.getAttribute("src")).toBe("/media/face.jpg");
  expect(img?.hasAttribute("srcset")).toBe(false);
  expect(img?.hasAttribute("sizes")).toBe(false);
});

it("shows each photo with the ruler that the server drew for it", async () => {
  const { user } = await start(
    images,
    '<ul><li id="photo-1"><svg class="size-ruler"><text>15 cm</text></svg></li><li id="photo-2"></li></ul>',
  );
  const ruler = () => document.querySelector(".gallery__stage .size-ruler");
  expect(ruler()?.textContent).toBe("15 cm");
  await user.click(thumbs()[1] as HTMLElement);
  expect(ruler()).toBeNull();
});

it("stays the element that page changes move along", async () => {
  await start(images, '<a data-shared="piece-12"></a>');
  expect(photo().dataset.shared).toBe("piece-12");
});

it("turns with the thumbnails and with the arrow keys, around both ends", async () => {
  const { user } = await start();
  await user.click(thumbs()[2] as HTMLElement);
  expect(shown()).toBe("Vue grand");

  await user.keyboard("{ArrowRight}");
  expect(shown()).toBe("Vue face");
  await user.keyboard("{ArrowLeft}");
  expect(shown()).toBe("Vue grand");
  expect(count()).toBe("3 / 3");
  await user.keyboard("{ArrowLeft}");
  expect(count()).toBe("2 / 3");
});

it("leaves the browser's own shortcuts alone", async () => {
  await start();
  const event = new KeyboardEvent("keydown", {
    key: "ArrowLeft",
    altKey: true,
    bubbles: true,
    cancelable: true,
  });
  act(() => void photo().dispatchEvent(event));
  expect(event.defaultPrevented).toBe(false);
  expect(shown()).toBe("Vue face");
});

function swipe(fromX: number, toX: number, toY = 0, pointerType = "touch") {
  const send = (type: string, x: number, y: number) => {
    const event = new MouseEvent(type, { bubbles: true, clientX: x, clientY: y });
    fireEvent(photo(), Object.assign(event, { pointerType, isPrimary: true }));
  };
  send("pointerdown", fromX, 0);
  send("pointerup", toX, toY);
}

it.each([
  ["to the left: the next one", [200, 100, 10], "Vue dos"],
  ["to the right: the last one", [100, 200, 10], "Vue grand"],
  ["too short", [100, 130, 0], "Vue face"],
  ["a scroll", [100, 160, 90], "Vue face"],
] as const)("follows a finger %s", async (_what, [from, to, down], expected) => {
  await start();
  swipe(from, to, down);
  expect(shown()).toBe(expected);
});

it("does not take a mouse's drag for a swipe, nor a swipe for a click", async () => {
  const { user } = await start();
  swipe(200, 100, 0, "mouse");
  expect(shown()).toBe("Vue face");

  swipe(200, 100);
  fireEvent.click(photo());
  expect(openViewer).not.toHaveBeenCalled();

  await user.click(photo());
  await waitFor(() => expect(openViewer).toHaveBeenCalledOnce());
});

it("opens full screen at the photo shown and comes back at the one left", async () => {
  const { user } = await start();
  await user.click(thumbs()[1] as HTMLElement);
  await user.click(photo());
  await waitFor(() => expect(openViewer).toHaveBeenCalledOnce());

  const [given, index, words, onClose] = vi.mocked(openViewer).mock.calls[0] ?? [];
  expect(given).toEqual(images);
  expect(index).toBe(1);
  expect(words).toEqual({
    label: "Photos\u00a0: Gardien",
    zoom: "Agrandir ou réduire (touches + et −)",
    close: "Fermer",
    previous: "Photo précédente",
    next: "Photo suivante",
    failed: "La photo n'a pas pu être chargée.",
  });
  act(() => onClose?.(2));
  expect(shown()).toBe("Vue grand");
});

it("goes to the photo when the viewer does not come", async () => {
  vi.mocked(openViewer).mockImplementation(() => {
    throw new TypeError("Failed to fetch");
  });
  const { user } = await start();
  await user.click(photo());
  await waitFor(() => expect(goTo).toHaveBeenCalledExactlyOnceWith("http://localhost:3000/media/face.jpg"));
});

it("leaves a click with a key held to the browser", async () => {
  await start();
  const event = new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey: true });
  photo().addEventListener("click", (late) => late.preventDefault(), { once: true });
  act(() => void photo().dispatchEvent(event));
  expect(openViewer).not.toHaveBeenCalled();
});

it("has no barrier that a machine can find", async () => {
  const { container } = await start();
  expect(await barriers(container)).toEqual([]);
});

it("has nothing to turn with one photo, and is nothing without any", async () => {
  const { unmount } = await start([image("face")]);
  expect(screen.queryByRole("list")).toBeNull();
  expect(count()).toBeUndefined();
  fireEvent.keyDown(photo(), { key: "ArrowRight" });
  expect(shown()).toBe("Vue face");
  unmount();
  const { container } = await start([]);
  expect(container.innerHTML).toBe("");
});
