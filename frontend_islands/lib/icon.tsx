/** A sign of the shop's sprite, drawn in the text's colour; always beside or inside something that has a name. */
export function Icon({ name, size }: { name: string; size?: "large" }) {
  return (
    <svg className={size ? `icon icon--${size}` : "icon"} aria-hidden="true" focusable="false">
      <use href={`${document.documentElement.dataset.icons}#${name}`} />
    </svg>
  );
}
