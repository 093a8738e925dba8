/** What a call waits for until `arrive` lets it go on. */
export type Held = Promise<void> & { arrive: () => void };

export function hold(): Held {
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return Object.assign(held, { arrive });
}
