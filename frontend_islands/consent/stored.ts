/** Deletes what services of other companies stored in this browser under the shop's own name, as far as a page can. */

/** `names` are those of cookies and of keys of `localStorage`, with spaces between; `_ga_*` is all that begin so. */
export function forget(names: string): void {
  const patterns = names.split(" ").filter(Boolean);
  const isNamed = (name: string) =>
    patterns.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each));
  for (const pair of document.cookie.split("; ")) {
    const name = pair.split("=", 1)[0] ?? "";
    if (!isNamed(name)) continue;
    for (const domain of domains(location.hostname)) {
      // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have the Cookie Store only since this year
      document.cookie = `${name}=; Max-Age=0; Path=/${domain}`;
    }
  }
  try {
    for (const key of Object.keys(localStorage)) if (isNamed(key)) localStorage.removeItem(key);
  } catch {}
}

/** A service sets its cookies for as much of the domain as the browser allows: none, and each of its ends. */
function domains(host: string): string[] {
  const parts = host.split(".");
  return ["", ...parts.map((_part, index) => `; Domain=${parts.slice(index).join(".")}`)];
}
