/** The fields in which a request differs from the one before. */
export function changedFields<Fields extends object>(before: object, now: Fields): Partial<Fields> {
  const known = before as Record<string, unknown>;
  const changed = Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(known[key]));
  return Object.fromEntries(changed) as Partial<Fields>;
}
