/** Values as text, about as a console shows them. */
export function printed(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === "string" ? value : shown(value))).join(" ");
}

function shown(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} ${shown([...value])}`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? `${inner}n` : inner), 2);
  } catch {
    return String(value); // it refers to itself
  }
}
