/** The full-screen viewer, fetched when it is first opened. */
import PhotoSwipe from "photoswipe";
import type { GalleryImage } from "@/api/types";

interface ViewerWords {
  label: string;
  close: string;
  previous: string;
  next: string;
  zoom: string;
  failed: string;
}

/** How much nearer one press of + or − comes. */
const STEP = 1.5;
/** How far an arrow key moves an enlarged photo, in parts of the screen. */
const PAN = 0.15;

/** Opens at a photo; `onClose` gets the one at which the visitor left. The first photo follows the last.
 *
 * Enlarged by click, double tap, pinch, wheel, the button, and the keys z, + and −; 0 shows the whole photo again. The
 * arrow keys move an enlarged photo and turn to another one otherwise.
 */
export function openViewer(
  images: readonly GalleryImage[],
  index: number,
  words: ViewerWords,
  onClose: (index: number) => void,
): void {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const viewer = new PhotoSwipe({
    dataSource: images.map(({ url, width, height, alt }) => ({ src: url, width, height, alt })),
    index,
    loop: true,
    wheelToZoom: true,
    imageClickAction: "zoom",
    secondaryZoomLevel: ({ fit }) => Math.max(2.5 * fit, 1),
    maxZoomLevel: ({ fit }) => Math.max(4 * fit, 1),
    zoomAnimationDuration: isStill ? false : 220,
    indexIndicatorSep: " / ",
    bgOpacity: 0.94,
    showHideAnimationType: isStill ? "none" : "fade",
    closeTitle: words.close,
    arrowPrevTitle: words.previous,
    arrowNextTitle: words.next,
    zoomTitle: words.zoom,
    errorMsg: words.failed,
    // The library hides its arrows from fingers, which leaves screen readers on phones, and who can't swipe, no way on.
    mainClass: "pswp--has_mouse",
  });
  viewer.on("keydown", (event) => {
    if (pressed(viewer, event.originalEvent)) {
      event.originalEvent.preventDefault();
      event.preventDefault();
    }
  });
  viewer.on("zoomPanUpdate", () => sayZoom(viewer));
  viewer.on("change", () => sayZoom(viewer));
  viewer.on("close", () => onClose(viewer.currIndex));
  viewer.init();
  viewer.element?.setAttribute("aria-modal", "true");
  viewer.element?.setAttribute("aria-label", words.label);
  sayZoom(viewer);
}

/** Whether the key was one of the zoom's, and done. */
export function pressed(viewer: PhotoSwipe, event: KeyboardEvent): boolean {
  const slide = viewer.currSlide;
  if (!slide || event.altKey || event.ctrlKey || event.metaKey) return false;
  const { fit, max } = slide.zoomLevels;
  const zoom = (level: number) =>
    slide.zoomTo(Math.min(Math.max(level, fit), max), undefined, viewer.options.zoomAnimationDuration);
  switch (event.key) {
    case "+":
    case "=":
      zoom(slide.currZoomLevel * STEP);
      return true;
    case "-":
    case "_":
      zoom(slide.currZoomLevel / STEP);
      return true;
    case "0":
      zoom(fit);
      return true;
  }
  const move = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!move || slide.currZoomLevel <= fit) return false;
  const [x = 0, y = 0] = move;
  slide.panTo(slide.pan.x + x * PAN * viewer.viewportSize.x, slide.pan.y + y * PAN * viewer.viewportSize.y);
  return true;
}

/** The zoom button says whether the photo is enlarged. */
function sayZoom(viewer: PhotoSwipe): void {
  const slide = viewer.currSlide;
  const isEnlarged = Boolean(slide && slide.currZoomLevel > slide.zoomLevels.fit + 0.001);
  viewer.element?.querySelector(".pswp__button--zoom")?.setAttribute("aria-pressed", String(isEnlarged));
}
