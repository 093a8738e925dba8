/** What WebGL draws: one model in even light, turned by hand. Fetched on demand, for it brings three.js along. */
import {
  Box3,
  MathUtils,
  PerspectiveCamera,
  PMREMGenerator,
  Scene as Room,
  Sphere,
  Spherical,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { readTextures } from "./textures";

export interface Scene {
  /** Radians: positive turns the piece to the right, and shows it from further above. */
  turn: (aside: number, up: number) => void;
  /** Times the distance. */
  zoom: (factor: number) => void;
  reset: () => void;
  dispose: () => void;
}

/** The piece turns by itself for less than five seconds, then waits: nothing on the page moves for ever. */
const SHOW_MS = 4500;
const MOST_PIXELS = 2;

/**
 * Draws a binary glTF into a canvas; null where the browser has no WebGL. `lost` is called when the browser takes the
 * drawing away later. Rejects when the file can't be read.
 */
export async function createScene(
  canvas: HTMLCanvasElement,
  model: ArrayBuffer,
  isStill: boolean,
  lost: () => void,
): Promise<Scene | null> {
  const renderer = newRenderer(canvas);
  if (!renderer) return null;
  const room = new Room();
  const light = new PMREMGenerator(renderer);
  const studio = new RoomEnvironment();
  room.environment = light.fromScene(studio, 0.04).texture;
  studio.dispose();
  light.dispose();

  const camera = new PerspectiveCamera(32, 1, 0.01, 100);
  const controls = new OrbitControls(camera, canvas);
  const observer = new ResizeObserver(() => resize());
  let showing: number | undefined;
  let isDue = false;

  function draw(): void {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      renderer?.render(room, camera);
    });
  }

  function resize(): void {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height) return;
    renderer?.setPixelRatio(Math.min(devicePixelRatio, MOST_PIXELS));
    renderer?.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    draw();
  }

  function stopShow(): void {
    if (showing !== undefined) cancelAnimationFrame(showing);
    showing = undefined;
  }

  function dispose(): void {
    stopShow();
    observer.disconnect();
    controls.dispose();
    room.environment?.dispose();
    renderer?.dispose();
  }

  const start = new Vector3();
  try {
    const loader = new GLTFLoader().register(readTextures);
    const { scene: piece } = await loader.parseAsync(model, "");
    const ball = new Box3().setFromObject(piece).getBoundingSphere(new Sphere());
    if (!(ball.radius > 0)) throw new Error("The model is empty.");
    piece.position.sub(ball.center);
    room.add(piece);
    const distance = ball.radius / Math.sin(MathUtils.degToRad(camera.fov / 2));
    start.set(0.35, 0.25, 1).setLength(distance * 1.05);
    camera.near = distance / 100;
    camera.far = distance * 10;
    camera.position.copy(start);
    controls.minDistance = distance * 0.4;
    controls.maxDistance = distance * 2;
  } catch (error) {
    dispose();
    throw error;
  }

  controls.enablePan = false;
  controls.addEventListener("change", draw);
  controls.addEventListener("start", stopShow);
  controls.update();
  // The wheel belongs to the page until the model has the focus.
  controls.enableZoom = false;
  canvas.addEventListener("focus", () => {
    controls.enableZoom = true;
  });
  canvas.addEventListener("blur", () => {
    controls.enableZoom = false;
  });
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    stopShow();
    lost();
  });
  observer.observe(canvas);
  resize();

  function move(change: (place: Spherical) => void): void {
    stopShow();
    const place = new Spherical().setFromVector3(camera.position);
    change(place);
    place.phi = MathUtils.clamp(place.phi, 0.05, Math.PI - 0.05);
    place.radius = MathUtils.clamp(place.radius, controls.minDistance, controls.maxDistance);
    camera.position.setFromSpherical(place);
    controls.update();
    draw();
  }

  if (!isStill) {
    const began = performance.now();
    let last = began;
    const step = (now: number) => {
      if (now - began > SHOW_MS) return stopShow();
      const place = new Spherical().setFromVector3(camera.position);
      place.theta += ((now - last) / SHOW_MS) * Math.PI * 2;
      last = now;
      camera.position.setFromSpherical(place);
      controls.update();
      showing = requestAnimationFrame(step);
    };
    showing = requestAnimationFrame(step);
  }

  return {
    turn: (aside, up) =>
      move((place) => {
        place.theta -= aside;
        place.phi += up;
      }),
    zoom: (factor) =>
      move((place) => {
        place.radius *= factor;
      }),
    reset: () => move((place) => place.setFromVector3(start)),
    dispose,
  };
}

function newRenderer(canvas: HTMLCanvasElement): WebGLRenderer | null {
  try {
    return new WebGLRenderer({ canvas, antialias: true, alpha: true });
  } catch {
    return null;
  }
}
