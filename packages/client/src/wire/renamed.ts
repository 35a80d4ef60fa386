/** Names that are not the same with capitals, or with `Ms` behind `at`. */
const names: Readonly<Record<string, string>> = {
  workflow_name: "workflow",
  at: "atMs",
  final: "isFinal",
  from: "fromMs",
  metrics: "hasMetrics",
  read_only: "isReadOnly",
  sendable: "isSendable",
  tenants: "hasTenants",
  to: "toMs",
  until: "untilMs",
};

/** A record with the names that the client has for its fields, and times as numbers. Not what is inside its fields. */
export function renamed<Renamed>(record: object): Renamed {
  if (typeof record !== "object" || record === null) throw new TypeError("no record");
  const pairs = Object.entries(record).map(([given, value]) => {
    const name = names[given] ?? given.replace(/_at$/, "_atMs").replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    return [name, typeof value === "string" && name.endsWith("Ms") ? Date.parse(value) : value];
  });
  return Object.fromEntries(pairs) as Renamed;
}
