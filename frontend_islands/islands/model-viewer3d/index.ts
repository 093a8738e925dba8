/**
 * Turns a piece in 3D once the visitor asks for it.
 *
 * Works on the server's own HTML: a picture in `[data-stage]`, the button `[data-open]`, and words in the data
 * attributes of the section. The scene (WebGL) is a file of its own, fetched with the model by the first click; until
 * it draws, and whenever something goes wrong, the picture stays.
 */
import { fallbackOf, type Mount } from "@/runtime/island";
import type { Scene } from "./scene";

type State = "poster" | "loading" | "ready" | "failed" | "unsupported";

/** Radians a key press. */
const TURN = Math.PI / 12;
const ZOOM = 1.2;

const MOVES: Record<string, (scene: Scene) => void> = {
  left: (scene) => scene.turn(-TURN, 0),
  right: (scene) => scene.turn(TURN, 0),
  up: (scene) => scene.turn(0, -TURN),
  down: (scene) => scene.turn(0, TURN),
  in: (scene) => scene.zoom(1 / ZOOM),
  out: (scene) => scene.zoom(ZOOM),
  home: (scene) => scene.reset(),
};
const KEYS: Record<string, keyof typeof MOVES> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  "+": "in",
  "=": "in",
  "-": "out",
  Home: "home",
};

export const mount: Mount<null> = (host) => {
  const viewer = fallbackOf(host)?.querySelector<HTMLElement>("[data-model]");
  const stage = viewer?.querySelector<HTMLElement>("[data-stage]");
  const open = viewer?.querySelector<HTMLButtonElement>("[data-open]");
  if (!viewer || !stage || !open) throw new Error("There is no model to show.");
  const tools = viewer.querySelector<HTMLElement>("[data-tools]");
  const help = viewer.querySelector<HTMLElement>("[data-help]");
  const status = viewer.querySelector<HTMLElement>("[data-status]");
  const ended = new AbortController();
  let canvas: HTMLCanvasElement | undefined;
  let scene: Scene | undefined;
  let state: State = "poster";
  let attempt = 0;

  function become(next: State): void {
    state = next;
    viewer?.setAttribute("data-state", next);
    const isReady = next === "ready";
    open?.toggleAttribute("hidden", isReady || next === "unsupported");
    if (next === "loading") open?.setAttribute("aria-disabled", "true");
    else open?.removeAttribute("aria-disabled");
    if (tools) tools.hidden = !isReady;
    if (help) help.hidden = !isReady;
    if (status) status.textContent = viewer?.dataset[next] ?? "";
  }

  function drop(): void {
    attempt += 1;
    scene?.dispose();
    scene = undefined;
    canvas?.remove();
    canvas = undefined;
  }

  async function show(): Promise<void> {
    if (state === "loading" || state === "ready") return;
    drop();
    const mine = attempt;
    become("loading");
    const drawn = newCanvas(viewer?.dataset.label ?? "", help?.id);
    try {
      const { createScene } = await import("./scene");
      const model = await fetchModel(viewer?.dataset.model ?? "", ended.signal);
      if (mine !== attempt) return;
      canvas = drawn;
      stage?.append(drawn);
      const made = await createScene(drawn, model, isStill(), () => mine === attempt && fail("failed"));
      if (mine !== attempt) return made?.dispose();
      if (!made) return fail("unsupported");
      scene = made;
      become("ready");
      drawn.tabIndex = 0;
      drawn.focus({ preventScroll: true });
    } catch {
      if (mine === attempt) fail("failed");
    }
  }

  function fail(reason: "failed" | "unsupported"): void {
    drop();
    become(reason);
  }

  function close(): void {
    drop();
    become("poster");
    open?.focus();
  }

  const { signal } = ended;
  open.addEventListener("click", () => void show(), { signal });
  tools?.addEventListener(
    "click",
    (event) => {
      const name = (event.target as Element).closest<HTMLElement>("[data-act]")?.dataset.act;
      if (name === "close") close();
      else if (name && scene) MOVES[name]?.(scene);
    },
    { signal },
  );
  stage.addEventListener(
    "keydown",
    (event) => {
      const name = KEYS[event.key];
      if (!scene || !name || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      MOVES[name]?.(scene);
    },
    { signal },
  );
  return () => {
    ended.abort();
    drop();
    become("poster");
  };
};

async function fetchModel(url: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`The model answered ${response.status}.`);
  return response.arrayBuffer();
}

function newCanvas(label: string, help: string | undefined): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.className = "model-viewer__canvas";
  // Its keys are its own: a screen reader hands them through.
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", label);
  if (help) canvas.setAttribute("aria-describedby", help);
  return canvas;
}

function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
