/**
 * The names of fields, as they travel and as the client has them: `started_at: string` is `startedAtMs: number`.
 *
 * @module
 */

/** Names that are not the same with capitals, or with `Ms` behind `at`. */
const names = {
  workflow_name: "workflow",
  at: "atMs",
  editable: "isEditable",
  final: "isFinal",
  from: "fromMs",
  metrics: "hasMetrics",
  read_only: "isReadOnly",
  sendable: "isSendable",
  tenants: "hasTenants",
  to: "toMs",
  until: "untilMs",
} as const;

/** A record with the names that the client has for its fields, and times as numbers. Not what is inside its fields. */
export function renamed<Renamed>(record: object): Renamed {
  if (typeof record !== "object" || record === null) throw new TypeError("no record");
  const pairs = Object.entries(record).map(([given, value]) => {
    const special = (names as Readonly<Record<string, string>>)[given];
    const name = special ?? given.replace(/_at$/, "_atMs").replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    return [name, typeof value === "string" && name.endsWith("Ms") ? Date.parse(value) : value];
  });
  return Object.fromEntries(pairs) as Renamed;
}

// ---- the types of records, made of those of the client

type Names = typeof names;
type Special = { readonly [Given in keyof Names as Names[Given]]: Given };

type Underscored<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Underscored<Rest>}`
  : "";

type NameOf<Name> = Name extends keyof Special
  ? Special[Name]
  : Name extends `${infer Start}AtMs`
    ? `${Underscored<Start>}_at`
    : Name extends string
      ? Underscored<Name>
      : Name;

/** A value of the client as it travels. */
export type Wire<Value> = Value extends readonly (infer Item)[]
  ? readonly Wire<Item>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value as NameOf<Name>]: Name extends `${string}Ms`
          ? Time<Value[Name]>
          : Wire<Value[Name]>;
      }
    : Value;

type Time<Value> = Value extends readonly number[] ? readonly string[] : Value extends number ? string : Value;
