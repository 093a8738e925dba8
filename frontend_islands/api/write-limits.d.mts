export function limitsModule(): string;
