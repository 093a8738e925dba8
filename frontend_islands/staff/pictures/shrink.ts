/**
 * A photo made small enough to travel: what a phone takes has 12 MB and more, the shop keeps 2400 pixels. Upright, as
 * the camera noted, and freed of what else it noted. The server judges again.
 */
import type { Key } from "../shared/translate";
import type words from "./words.json";

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_NAME = 100;
/** What no phone takes; a browser would run out of memory. */
const MAX_SOURCE_BYTES = 60 * 1024 * 1024;
/** The longer side of what the shop keeps. */
const MAX_SIDE = 2400;
/** Below it nothing is won. */
const LIGHT_BYTES = 1024 * 1024;
const QUALITIES = [0.9, 0.8, 0.65, 0.5];
const SIGNATURES: Record<string, (head: Uint8Array) => boolean> = {
  "image/jpeg": (head) => starts(head, [0xff, 0xd8, 0xff]),
  "image/png": (head) => starts(head, [0x89, 0x50, 0x4e, 0x47]),
  "image/webp": (head) =>
    starts(head, [0x52, 0x49, 0x46, 0x46]) && starts(head.slice(8), [0x57, 0x45, 0x42, 0x50]),
};
export const ACCEPTED = Object.keys(SIGNATURES).join(",");

/** A file that is no picture for the shop; `key` says why. */
export class UnusableFile extends Error {
  constructor(readonly key: Key<typeof words>) {
    super(key);
    this.name = "UnusableFile";
  }
}

/** Returns the file to send. Raises `UnusableFile`. */
export async function shrink(file: File): Promise<File> {
  const fits = SIGNATURES[file.type];
  if (!fits) throw new UnusableFile("faults.type");
  if (file.name.length > MAX_NAME) throw new UnusableFile("faults.name");
  if (file.size > MAX_SOURCE_BYTES) throw new UnusableFile("faults.size");
  let head: Uint8Array;
  try {
    head = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  } catch {
    throw new UnusableFile("faults.unreadable");
  }
  if (!fits(head)) throw new UnusableFile("faults.signature");
  const picture = await decode(file);
  try {
    const scale = Math.min(1, MAX_SIDE / Math.max(picture.width, picture.height));
    if (scale === 1 && file.size <= LIGHT_BYTES) return file;
    return await draw(picture, scale, file.name);
  } finally {
    picture.close();
  }
}

async function decode(file: File): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    throw new UnusableFile("faults.unreadable");
  }
}

async function draw(picture: ImageBitmap, scale: number, name: string): Promise<File> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new UnusableFile("faults.unreadable");
  // A JPEG knows no transparency.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  for (const quality of QUALITIES) {
    const drawn = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/jpeg", quality));
    if (drawn && drawn.size <= MAX_BYTES) return new File([drawn], jpegName(name), { type: "image/jpeg" });
  }
  throw new UnusableFile("faults.size");
}

function jpegName(name: string): string {
  const stem = name.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9.-]/g, "_");
  return `${stem.slice(0, MAX_NAME - 4) || "photo"}.jpg`;
}

function starts(bytes: Uint8Array, expected: readonly number[]): boolean {
  return expected.every((value, index) => bytes[index] === value);
}
