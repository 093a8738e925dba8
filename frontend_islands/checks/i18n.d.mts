export function findFaults(
  languages: Record<string, object>,
  sources: Record<string, string>,
  catalogues?: Record<string, string>,
): string[];
