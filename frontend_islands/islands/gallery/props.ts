/** Written by the server for the product of the page. */
export interface GalleryProps {
  name: string;
  images: GalleryImage[];
}

export interface GalleryImage {
  /** The largest version, in a format that every browser shows. */
  url: string;
  width: number;
  height: number;
  alt: string;
  thumb: string;
  /** The versions of the page's photo, best format first. */
  sources: { type: string; srcset: string }[];
  finish: "painted" | "unpainted" | null;
  variation_id: number | null;
}
