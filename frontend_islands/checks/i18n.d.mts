export function findFaults(languages: Record<string, object>, sources: Record<string, string>): string[];
