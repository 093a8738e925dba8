import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type { GalleryImage, GalleryProps } from "@/api/types";
import { Icon } from "@/lib/icon";
import { goTo } from "@/lib/navigate";
import type { Mount } from "@/runtime/island";
import { reactIsland, useIsland, useTranslation } from "@/runtime/react";

const JPEG = "image/jpeg";
/** A finger that moved less was pointing, not turning. */
const SWIPE_PX = 40;
/** Browsers that do not say when a scroll has ended have ended it by then. */
const GLIDE_MS = 600;

/** A product's photos: one large, all others beneath it, any of them full screen. */
export function Gallery({ name, images }: GalleryProps) {
  const { t } = useTranslation();
  const { fallback } = useIsland();
  const [index, setIndex] = useState(() => photoInSight(fallback));
  const swipe = useSwipe((step) => turn(step));
  const shared = fallback?.querySelector<HTMLElement>("[data-shared]")?.dataset.shared;
  // The sizes that the server's version names, so that the browser takes the files it has already.
  const sizes = fallback?.querySelector(".gallery__photo [sizes]")?.getAttribute("sizes") ?? "100vw";
  const thumbs = fallback?.querySelectorAll(".gallery__thumb img");
  const total = images.length;
  const image = images[index];

  if (!image) return null;

  function turn(step: number) {
    setIndex((current) => (current + step + total) % total);
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    turn(step);
  }

  async function enlarge(event: MouseEvent<HTMLAnchorElement>) {
    // With a key held the browser opens the photo in a tab or saves it.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (swipe.justHappened()) return;
    const { href } = event.currentTarget;
    try {
      const { openViewer } = await import("./viewer");
      const words = {
        label: t("gallery.label", { name }),
        zoom: t("gallery.zoom"),
        close: t("gallery.close"),
        previous: t("gallery.previous"),
        next: t("gallery.next"),
        failed: t("gallery.failed"),
      };
      openViewer(images, index, words, setIndex);
    } catch {
      // The viewer could not be fetched: the photo alone is better than nothing.
      goTo(href);
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys work on every control inside
    <div className="gallery" onKeyDown={onKeyDown}>
      <div className="gallery__stage" {...swipe.handlers}>
        <a
          className="gallery__photo"
          href={image.url}
          data-shared={shared}
          data-replay="photo"
          onClick={enlarge}
          draggable={false}
        >
          <Photo key={image.url} image={image} sizes={sizes} isFirst={index === 0} />
          <span className="visually-hidden">{t("gallery.enlarge")}</span>
          <span className="gallery__zoom">
            <Icon name="zoom" />
          </span>
        </a>
        <Ruler photo={index + 1} />
        {total > 1 && (
          <p className="gallery__count" aria-live="polite">
            {t("gallery.position", { index: index + 1, total })}
          </p>
        )}
      </div>
      {total > 1 && (
        <ul className="gallery__thumbs" aria-label={t("gallery.label", { name })}>
          {images.map((each, position) => (
            <li key={each.url}>
              <button
                className="gallery__thumb"
                type="button"
                data-replay={`photo-${position + 1}`}
                aria-current={position === index || undefined}
                onClick={() => setIndex(position)}
              >
                <Photo
                  image={each}
                  sizes={thumbs?.[position]?.getAttribute("sizes") ?? "7rem"}
                  isFirst={false}
                />
                <span className="visually-hidden">
                  {t("gallery.thumbnail", { index: position + 1, total })}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface PhotoProps {
  image: GalleryImage;
  sizes: string;
  isFirst: boolean;
}

function Photo({ image, sizes, isFirst }: PhotoProps) {
  const jpeg = image.sources.find(({ type }) => type === JPEG);
  return (
    <picture>
      {image.sources.map(({ type, srcset }) =>
        type === JPEG ? null : <source key={type} type={type} srcSet={srcset} sizes={sizes} />,
      )}
      <img
        className={image.focus_class}
        // Before its address: a browser that knows both never asks for the largest one.
        srcSet={jpeg?.srcset}
        sizes={jpeg && sizes}
        src={image.url}
        alt={image.alt}
        width={image.width}
        height={image.height}
        draggable={false}
        // The first one is on the page already: drawn at once, it does not blink when it is replaced.
        decoding={isFirst ? "sync" : "async"}
      />
    </picture>
  );
}

/** The photo, counted from 0, that a finger turned to before the gallery came to life. */
function photoInSight(fallback: HTMLElement | null): number {
  const strip = fallback?.querySelector(".gallery__strip");
  return strip?.clientWidth ? Math.round(strip.scrollLeft / strip.clientWidth) : 0;
}

/** The ruler that the server drew for this photo (numbered from 1), if it knows where the piece is in it. */
function Ruler({ photo }: { photo: number }) {
  const { fallback } = useIsland();
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const drawn = fallback?.querySelectorAll(`#photo-${photo} .size-ruler`) ?? [];
    place.current?.replaceChildren(...[...drawn].map((part) => part.cloneNode(true)));
  }, [fallback, photo]);
  return <span ref={place} />;
}

/** Turns on a horizontal swipe of a finger; vertical ones scroll the page as always. */
function useSwipe(onSwipe: (step: number) => void) {
  const start = useRef<{ x: number; y: number } | null>(null);
  const swiped = useRef(false);
  return {
    /** Whether the click that follows belongs to a swipe. */
    justHappened: () => swiped.current,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        start.current = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
        swiped.current = false;
      },
      onPointerUp: (event: PointerEvent) => {
        if (!start.current || event.pointerType === "mouse") return;
        const [across, down] = [event.clientX - start.current.x, event.clientY - start.current.y];
        start.current = null;
        if (Math.abs(across) < SWIPE_PX || Math.abs(across) < Math.abs(down)) return;
        swiped.current = true;
        onSwipe(across < 0 ? 1 : -1);
      },
      onPointerCancel: () => {
        start.current = null;
      },
    },
  };
}

const draw = reactIsland(Gallery);

export const mount: Mount<GalleryProps> = async (host, props) => {
  await atRest(host.querySelector(".gallery__strip"));
  return draw(host, props);
};

/** Resolves once the photo that a finger sent on its way has arrived. */
async function atRest(strip: Element | null): Promise<void> {
  if (!strip?.scrollLeft || strip.scrollLeft % strip.clientWidth === 0) return;
  await new Promise((arrived) => {
    strip.addEventListener("scrollend", arrived, { once: true });
    setTimeout(arrived, GLIDE_MS);
  });
}
