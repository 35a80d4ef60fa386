/**
 * Names of fields: a program has `startedAtMs: number`, the wire has `started_at: string`.
 *
 * @module
 */

/** Names on the wire that are not those of programs with underscores. */
const special = {
  workflow_name: "workflow",
  at: "atMs",
  from: "fromMs",
  to: "toMs",
  until: "untilMs",
  editable: "isEditable",
  final: "isFinal",
  read_only: "isReadOnly",
  sendable: "isSendable",
  metrics: "hasMetrics",
  tenants: "hasTenants",
} as const;

type SpecialOnWire = typeof special;
type Special = { readonly [Name in keyof SpecialOnWire as SpecialOnWire[Name]]: Name };

const specialOnWire: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(special).map(([given, name]) => [name, given]),
);

/** The record with the names of the wire, and times as texts. Not what is inside its fields. */
export function toWire<Value extends object>(record: Value): ToWire<Value> {
  const pairs = Object.entries(record).map(([name, value]) => {
    const own = name.replace(/AtMs$/, "At").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const text = typeof value === "number" && name.endsWith("Ms") ? new Date(value).toISOString() : value;
    return [specialOnWire.get(name) ?? own, text];
  });
  return Object.fromEntries(pairs) as ToWire<Value>;
}

/** The record with the names of programs, and times in epoch milliseconds. Not what is inside its fields. */
export function fromWire<Value extends object>(record: Value): FromWire<Value> {
  if (Object(record) !== record) throw new TypeError("no record");
  const pairs = Object.entries(record).map(([given, value]) => {
    const own = given.replace(/_at$/, "_atMs").replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    const name = (special as Readonly<Record<string, string>>)[given] ?? own;
    return [name, typeof value === "string" && name.endsWith("Ms") ? Date.parse(value) : value];
  });
  return Object.fromEntries(pairs) as FromWire<Value>;
}

// ---- the same, of types

export type ToWire<Value> = {
  readonly [Name in keyof Value as NameOnWire<Name>]: Name extends `${string}Ms` ? Text<Value[Name]> : Value[Name];
};

export type FromWire<Value> = {
  readonly [Name in keyof Value as OwnName<Name>]: OwnName<Name> extends `${string}Ms` ? Ms<Value[Name]> : Value[Name];
};

type Text<Time> = Time extends number ? string : Time;
type Ms<Time> = Time extends string ? number : Time;

type NameOnWire<Name> = Name extends keyof Special
  ? Special[Name]
  : Name extends `${infer Start}AtMs`
    ? `${Underscored<Start>}_at`
    : Name extends string
      ? Underscored<Name>
      : Name;

type OwnName<Name> = Name extends keyof SpecialOnWire
  ? SpecialOnWire[Name]
  : Name extends `${infer Start}_at`
    ? `${Joined<Start>}AtMs`
    : Name extends string
      ? Joined<Name>
      : Name;

type Underscored<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Underscored<Rest>}`
  : "";

type Joined<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Joined<Rest>>}`
  : Name;

/** Types of the events that end a run: the last event of its stream is one of them, or extends one. */
export const endTypes: readonly string[] = [
  "StopEvent",
  "WorkflowFailedEvent",
  "WorkflowTimedOutEvent",
  "WorkflowCancelledEvent",
];

/** Codes with which a run refuses an event or an answer. The client returns them in a receipt. */
export const refusalCodes = ["EVENT_NOT_ACCEPTED", "INBOX_FULL", "PROMPT_CLOSED", "RUN_FINISHED"] as const;

/** Ids of runs and sessions that callers of a server may choose: a path of a URL can hold them. */
export const outsideId: { readonly pattern: RegExp; readonly longest: number; readonly meaning: string } = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
  pattern: /^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]+$/u,
  longest: 200,
  meaning: "an id has no line ends and no other control characters, and is neither `.` nor `..`, which no URL can hold",
};
