/** Stands for the build's table of islands in tests, which put their own into it. */
import type { IslandModule } from "@/runtime/island";

export const islands: Record<string, (() => Promise<IslandModule>) | undefined> = {};
