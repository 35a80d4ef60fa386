/** Names that are not the same with underscores. */
const names: Readonly<Record<string, string>> = {
  isFinal: "final",
  atMs: "at",
  fromMs: "from",
  toMs: "to",
  untilMs: "until",
};

/** As {@link wired}, with the records inside of it. */
export function wiredTree(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wiredTree);
  if (typeof value !== "object" || value === null) return value;
  return wired(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wiredTree(inner)])));
}

/** A record as a server has it: `startedAtMs: number` is `started_at: string`. Not what is inside its fields. */
export function wired(record: object): Record<string, unknown> {
  const pairs = Object.entries(record).map(([given, value]) => {
    const isTime = given.endsWith("AtMs") || (given.endsWith("Ms") && given in names);
    const name = names[given] ?? given.replace(/AtMs$/, "At").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, isTime && typeof value === "number" ? new Date(value).toISOString() : value];
  });
  return Object.fromEntries(pairs) as Record<string, unknown>;
}
