/** Names that are not the same with underscores. */
const names: Readonly<Record<string, string>> = {
  isFinal: "final",
  atMs: "at",
  fromMs: "from",
  toMs: "to",
  untilMs: "until",
};

/** A record as a server has it: `startedAtMs: number` is `started_at: string`. Not what is inside its fields. */
export function wired(record: object): Record<string, unknown> {
  const pairs = Object.entries(record).map(([given, value]) => {
    const isTime = given.endsWith("AtMs") || (given.endsWith("Ms") && given in names);
    const name = names[given] ?? given.replace(/AtMs$/, "At").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, isTime && typeof value === "number" ? new Date(value).toISOString() : value];
  });
  return Object.fromEntries(pairs) as Record<string, unknown>;
}
