/** The options of every call of a runtime and of its handles: one that nobody reads is refused. */
import { type OptionNames, refuseUnknown } from "../value/unknown-options.js";
import type {
  ForkOptions,
  HistoryOptions,
  IdleOptions,
  PostOptions,
  RawOptions,
  RecordListQuery,
  ResumeRunOptions,
  Retention,
  RunFilter,
  Runtime,
  RuntimeRunOptions,
  SendOptions,
  TenantOptions,
} from "./runtime.types.js";

const tenant: OptionNames<TenantOptions> = { tenant: true };
const post: OptionNames<PostOptions> = { key: true };
const resume: OptionNames<ResumeRunOptions> = { ...tenant, ...post };
const raw: OptionNames<RawOptions> = { raw: true };
const history: OptionNames<HistoryOptions & RawOptions> = { ...tenant, ...raw, after: true };
const due: OptionNames<NonNullable<Parameters<Runtime["due"]>[0]>> = { limit: true };
const stop: OptionNames<NonNullable<Parameters<Runtime["stop"]>[0]>> = { drainMs: true };
const idle: OptionNames<IdleOptions> = { signal: true };
const sendEvent: OptionNames<SendOptions> = { ...post, step: true };
const run: OptionNames<RuntimeRunOptions> = {
  ...tenant,
  runId: true,
  startAt: true,
  labels: true,
  timeout: true,
  deadline: true,
};
const fork: OptionNames<ForkOptions> = { ...tenant, at: true, edit: true, editEvent: true, runId: true };
const runs: OptionNames<RunFilter> = {
  ...tenant,
  workflow: true,
  status: true,
  labels: true,
  createdAfter: true,
  createdBefore: true,
  limit: true,
  cursor: true,
};
const retain: OptionNames<Retention> = {
  ...tenant,
  olderThan: true,
  status: true,
  limit: true,
  timeBudget: true,
  onProgress: true,
};
const records: OptionNames<RecordListQuery> = { ...tenant, kind: true, prefix: true, limit: true, cursor: true };

type Call =
  | Exclude<keyof Runtime, symbol | "workflows" | "records" | "start">
  | "records.list"
  | "records.read"
  | "sendEvent"
  | "answer"
  | "cancel"
  | "idle"
  | "snapshot";

const known: Readonly<Record<Call, Readonly<Record<string, true>>>> = {
  run,
  handle: tenant,
  resume,
  retry: resume,
  runs,
  delete: tenant,
  retain,
  check: tenant,
  history,
  stateAt: tenant,
  fork,
  due,
  stop,
  "records.list": records,
  "records.read": tenant,
  sendEvent,
  answer: post,
  cancel: post,
  idle,
  snapshot: raw,
};

/** @throws {WorkflowError} `OPTION_INVALID` naming every option that there is not. */
export function checkCallOptions(call: Call, options: unknown): void {
  refuseUnknown(`\`${call}\``, options, Object.keys(known[call]));
}
