/**
 * Textures inside a model, decoded without an address of their own: the loader's way makes `blob:` addresses, which the
 * page's content security policy refuses.
 */
import { LinearFilter, LinearMipmapLinearFilter, RepeatWrapping, Texture } from "three";
import type { GLTFLoaderPlugin, GLTFParser } from "three/examples/jsm/loaders/GLTFLoader.js";

interface Described {
  textures: { source: number }[];
  images: { bufferView: number; mimeType: string }[];
}

export function readTextures(parser: GLTFParser): GLTFLoaderPlugin {
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
