/**
 * What travels between the studio and the server. The client describes it; here is what the studio knows beyond that: the server is the
 * one that has served the page, so it sends all fields, and what the client hands on unread is JSON.
 *
 * @module
 */
import type { GraphBranch as Branch, GraphGroup as Group, GraphNode as Node, StepNode } from "millrace/graph";
import type * as wire from "../../../client/src/wire/contract.types.js";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** A JSON schema, as far as the studio reads it by itself. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/** `Source` with other types for some of its fields. */
type With<Source, Fields> = Omit<Source, keyof Fields> & Fields;

export type Envelope = With<wire.Envelope, { readonly value: Json }>;

export type Prompt = With<
  wire.PromptRecord,
  {
    readonly event: Envelope;
    /** The event that answers it, and its JSON schema. */
    readonly answer: { readonly type: string; readonly schema: JsonSchema } | null;
  }
>;

export type ChildRun = wire.ChildRecord;

/** `ticks` and `children` come only with a single handler. */
export type Handler = With<
  wire.HandlerRecord,
  { readonly result: Envelope | null; readonly prompts: readonly Prompt[] }
>;
export type HandlerPage = With<wire.HandlerPage, { readonly handlers: readonly Handler[] }>;
export type HandlerCounts = wire.CountsRecord;

export type Path = readonly (string | number)[];

/** `old` is absent for what was added, `new` for what was deleted. */
export interface Change {
  readonly path: Path;
  readonly old?: Json;
  readonly new?: Json;
}

export type Tick = wire.HistoryRecord["tick"];
export type HistoryEntry = With<wire.HistoryRecord, { readonly changes?: readonly Change[] }>;

export type Attempt = wire.AttemptRecord;
export type Wait = wire.AttemptRecord["waits"][number];
export type Call = wire.AttemptRecord["calls"][number];

export type StepAt = wire.MomentRecord["steps"][number];
export type Delivery = With<wire.DeliveryRecord, { readonly event: Envelope }>;
/** A run as it was after a tick. */
export type Moment = With<
  wire.MomentRecord,
  { readonly state: Json; readonly prompts: readonly Prompt[]; readonly next: readonly Delivery[] }
>;

export type WorkflowDetails = wire.WorkflowRecord;
export type Counts = WorkflowDetails["counts"];
export type WorkflowList = wire.WorkflowList;
export type WorkflowEvents = With<wire.EventsRecord, { readonly events: readonly JsonSchema[] }>;
export interface WorkflowSchema {
  readonly start: JsonSchema;
  readonly stop: JsonSchema;
}

/** A node of any kind, with the fields that a step has, and the role of an event. */
export type GraphNode = Pick<Node, "kind" | "id" | "name"> &
  Partial<Omit<StepNode, "kind" | "id" | "name">> & { readonly role?: string };
export type GraphBranch = Branch;
export type GraphGroup = Group;
export type WorkflowGraphData = With<
  wire.GraphRecord["graph"],
  { readonly nodes: readonly GraphNode[]; readonly children?: readonly WorkflowGraphData[] }
>;

export type Session = wire.SessionPageRecord["sessions"][number];
export type SessionPage = wire.SessionPageRecord;
export type SessionRun = With<
  wire.SessionDetailsRecord["runs"][number],
  { readonly input: Json; readonly output: Json }
>;
export type SessionDetails = With<
  wire.SessionDetailsRecord,
  { readonly state: Json; readonly runs: readonly SessionRun[]; readonly messages?: readonly Json[] }
>;

/** What the caller is and may do. */
export type StudioConfig = wire.ConfigRecord;

/** The function of a step as it was written. */
export interface StepSource {
  /** From the folder of the project on. */
  readonly file: string;
  /** Where `text` begins, from 1 on. */
  readonly line: number;
  readonly text: string;
}
