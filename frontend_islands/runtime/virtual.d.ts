declare module "virtual:islands" {
  import type { IslandModule } from "./island";
  export const islands: Record<string, (() => Promise<IslandModule>) | undefined>;
}
