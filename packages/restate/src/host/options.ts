/** Options of a host, checked all at once. */
import type { Duration, Log } from "millrace";
import { checkOptions, oneOf, type Rule, type Rules, toMs, unchecked, valueRule, wholeNumber } from "millrace/engine";
import type { Workflows } from "millrace/runtime";
import type { RecordStore } from "../kept/record-store.js";
import type { ClientHandler } from "./messages.js";
import { HostRecords } from "./records.js";
import type { SessionSettings } from "./session.js";

export interface RestateHostOptions {
  /** Workflows by durable name: a run finds its workflow by this name, not by that of the class. */
  readonly workflows: Workflows;
  /**
   * Rounds after which an activation hands the run over to a new one, once no step is active; after five times as many in any case. At least
   * 1. @default 200
   */
  readonly rounds?: number;
  /**
   * `"rounds"` journals every round by itself, for endpoints that keep their connection (`serve`). `"slices"` journals several rounds at
   * once, for endpoints that answer one request at a time (Lambda, workers). @default "rounds"
   */
  readonly mode?: "rounds" | "slices";
  /** Length of a slice; it ends with the end of a step. @default "10s" */
  readonly slice?: Duration;
  /** Version of your program, stored with the runs that it begins or continues. @default `MILLRACE_VERSION` of the environment */
  readonly version?: string;
  /** Ticks between two snapshots. At least 1. @default 200 */
  readonly snapshotEvery?: number;
  /** `{ keep }` keeps about this many of the last ticks of a run. @default "all" */
  readonly history?: "all" | { readonly keep: number };
  /**
   * After this long without a round, Restate may suspend the invocation; active steps then start over. @default "1h"
   */
  readonly inactivityTimeout?: Duration;
  /**
   * The store of records, such as the sessions of pipelines: any store of Millrace, the same for all hosts and clients. It holds no runs. The
   * caller closes it. @default none: a step that reads or writes a record fails
   */
  readonly records?: RecordStore;
  /**
   * Handlers that the ingress refuses: then only other services of this Restate can start, message, read, continue or delete
   * (`"remove"`) runs, and `connect` cannot. Handlers that no client needs are always refused. @default none
   */
  readonly ingressPrivate?: readonly ClientHandler[];
  readonly log?: Log;
}

export interface ResolvedHostOptions {
  readonly workflows: Workflows;
  readonly session: SessionSettings;
  readonly version: string | undefined;
  readonly snapshotEvery: number;
  readonly history: "all" | { readonly keep: number };
  readonly inactivityMs: number;
  readonly ingressPrivate: ReadonlySet<ClientHandler>;
  readonly records: HostRecords | null;
  readonly log: Log | undefined;
}

const whole = wholeNumber(1);
const kept = wholeNumber(0);
const isVersion = (version: unknown): boolean => typeof version === "string" && /^.{1,255}$/s.test(version);

export const recordsRule: Rule = (records) => {
  const isStore = typeof (records as Partial<RecordStore> | null | undefined)?.writeRecords === "function";
  return records === undefined || isStore ? [] : ['`records` is no store such as `sqliteStore("records.db")`'];
};

const clientHandlers: readonly ClientHandler[] = ["start", "post", "read", "remove"];

const rules: Rules<RestateHostOptions> = {
  workflows: (workflows) => (Object.keys(workflows ?? {}).length === 0 ? ["`workflows` is empty"] : []),
  mode: oneOf("rounds", "slices"),
  rounds: whole,
  version: valueRule(isVersion, "a text of 1 to 255 characters"),
  snapshotEvery: whole,
  history: (history = "all") => (history === "all" ? [] : kept(Object(history).keep ?? null, "history.keep")),
  records: recordsRule,
  ingressPrivate: (handlers) =>
    handlers === undefined || (Array.isArray(handlers) && handlers.every((name) => clientHandlers.includes(name)))
      ? []
      : [`\`ingressPrivate\` must be a list of ${clientHandlers.map((name) => `"${name}"`).join(", ")}`],
  ...unchecked("slice inactivityTimeout log"),
};

/** How long ticks that only follow from stored ones wait for the next round. */
const FOLLOW_MS = 10;

/** @throws {WorkflowError} `OPTION_INVALID` naming every invalid option. */
export function resolveHostOptions(options: RestateHostOptions): ResolvedHostOptions {
  checkOptions("The options of the Restate host are wrong", options, { rules });
  const { workflows, rounds = 200, mode = "rounds", slice = "10s", snapshotEvery = 200, history = "all" } = options;
  const sliceMs = toMs(slice, "slice");
  return {
    workflows,
    session: { followMs: FOLLOW_MS, sliceMs: mode === "slices" ? sliceMs : null, rounds },
    version: options.version,
    snapshotEvery,
    history,
    inactivityMs: toMs(options.inactivityTimeout ?? "1h", "inactivityTimeout"),
    ingressPrivate: new Set(options.ingressPrivate),
    records: options.records === undefined ? null : new HostRecords(options.records),
    log: options.log,
  };
}
