/** Leaves the page for another address. Raises `TypeError` for what is no web address, such as `javascript:`. */
export function goTo(address: string | URL): void {
  location.assign(checked(address));
}

/** Like `goTo`, without this page in the history: going back does not lead to it again. */
export function replaceBy(address: string | URL): void {
  location.replace(checked(address));
}

function checked(address: string | URL): URL {
  const target = new URL(address, location.href);
  if (!/^https?:$/.test(target.protocol)) throw new TypeError(`"${target.protocol}" is no web address.`);
  return target;
}
