/** What WebGL draws: one model in even light, turned by hand. Fetched on demand, for it brings three.js along. */
import {
  Box3,
  LinearFilter,
  LinearMipmapLinearFilter,
  MathUtils,
  PerspectiveCamera,
  PMREMGenerator,
  RepeatWrapping,
  Sphere,
  Spherical,
  Texture,
  Vector3,
  WebGLRenderer,
  Scene as World,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { GLTFLoader, type GLTFLoaderPlugin, type GLTFParser } from "three/examples/jsm/loaders/GLTFLoader.js";

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
  const world = new World();
  const light = new PMREMGenerator(renderer);
  const studio = new RoomEnvironment();
  world.environment = light.fromScene(studio, 0.04).texture;
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
      renderer?.render(world, camera);
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
    world.environment?.dispose();
    renderer?.dispose();
    // Browsers keep few drawings at a time, and let one go only when they tidy up.
    renderer?.forceContextLoss();
  }

  const start = new Vector3();
  try {
    const loader = new GLTFLoader().register(readTextures);
    const { scene: piece } = await loader.parseAsync(model, "");
    const ball = new Box3().setFromObject(piece).getBoundingSphere(new Sphere());
    if (!(ball.radius > 0)) throw new Error("The model is empty.");
    piece.position.sub(ball.center);
    world.add(piece);
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

interface Described {
  textures: { source: number }[];
  images: { bufferView: number; mimeType: string }[];
}

/**
 * Textures inside a model, decoded without an address of their own: the loader's way makes `blob:` addresses, which the
 * page's content security policy refuses.
 */
function readTextures(parser: GLTFParser): GLTFLoaderPlugin {
  return {
    name: "textures-without-addresses",
    loadTexture: async (index) => {
      const described = parser.json as Described;
      const image = described.images[described.textures[index]?.source ?? -1];
      if (!image) throw new Error(`The model has no texture ${index}.`);
      const bytes = (await parser.getDependency("bufferView", image.bufferView)) as ArrayBuffer;
      const bitmap = await createImageBitmap(new Blob([bytes], { type: image.mimeType }), {
        colorSpaceConversion: "none",
        premultiplyAlpha: "none",
      });
      const texture = new Texture(bitmap);
      texture.flipY = false;
      texture.wrapS = RepeatWrapping;
      texture.wrapT = RepeatWrapping;
      texture.magFilter = LinearFilter;
      texture.minFilter = LinearMipmapLinearFilter;
      texture.needsUpdate = true;
      parser.associations.set(texture, { textures: index });
      return texture;
    },
  };
}
