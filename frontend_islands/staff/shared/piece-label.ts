/** A piece told apart from others of its product: "Golem de poche (Peint · 12 cm)". */
export function pieceLabel(name: string, detail: string): string {
  return detail ? `${name} (${detail})` : name;
}
