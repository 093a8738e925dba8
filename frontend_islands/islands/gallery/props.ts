import type { components } from "@/api/schema";

export type GalleryProps = components["schemas"]["GalleryProps"];
export type GalleryImage = components["schemas"]["GalleryImage"];
