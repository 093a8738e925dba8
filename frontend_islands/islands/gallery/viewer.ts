/** The full-screen viewer, fetched when it is first opened. */
import PhotoSwipe from "photoswipe";
import type { GalleryImage } from "./props";

export interface ViewerWords {
  close: string;
  previous: string;
  next: string;
  failed: string;
}

/** Opens at a photo; `onClose` hears at which one the visitor left. The first photo follows the last. */
export function openViewer(
  images: readonly GalleryImage[],
  index: number,
  words: ViewerWords,
  onClose: (index: number) => void,
): void {
  const viewer = new PhotoSwipe({
    dataSource: images.map(({ url, width, height, alt }) => ({ src: url, width, height, alt })),
    index,
    loop: true,
    wheelToZoom: true,
    zoom: false,
    indexIndicatorSep: " / ",
    bgOpacity: 0.94,
    showHideAnimationType: matchMedia("(prefers-reduced-motion: reduce)").matches ? "none" : "fade",
    closeTitle: words.close,
    arrowPrevTitle: words.previous,
    arrowNextTitle: words.next,
    errorMsg: words.failed,
  });
  viewer.on("close", () => onClose(viewer.currIndex));
  viewer.init();
}
