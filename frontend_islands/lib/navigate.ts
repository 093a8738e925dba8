/** Leaves the page for another address. Raises `TypeError` for what is no web address, such as `javascript:`. */
export function goTo(address: string | URL): void {
  const target = new URL(address, location.href);
  if (!/^https?:$/.test(target.protocol)) throw new TypeError(`"${target.protocol}" is no web address.`);
  location.assign(target);
}
