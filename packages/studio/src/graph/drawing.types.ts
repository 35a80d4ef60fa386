/** A workflow as it is drawn: a part of what `describeWorkflow` returns. */

import type { LeftOf } from "millrace/graph";

export type DrawnKind = "step" | "start" | "event" | "stop" | "human" | "resource";

export interface DrawnNode {
  readonly id: string;
  readonly kind: DrawnKind;
  /** Under which what a run does is found: as the name, but of a step in a nested pipeline `outer step›step`. */
  readonly key: string;
  /** Name of the step, event type or resource. */
  readonly name: string;
  /** What is written on it. */
  readonly label: string;
  /** Of a step: what makes it fire and what it shows, in words. Of a person: the answering event. */
  readonly note: string;
  /** Of a step: the events that it only shows to readers of the stream. */
  readonly streams: readonly string[];
  /** Of a step: how many fan-outs are around it. */
  readonly depth: number;
  /** Of a person: key of the step that asks. */
  readonly askedBy: string | null;
  /** Of a step: keys of others that work for it and are not drawn, such as the one that asks before it. */
  readonly covers: readonly string[];
  readonly width: number;
  readonly height: number;
}

export type DrawnEdgeKind = "accepts" | "emits" | "fails" | "needs" | "asks" | "flow";

export interface DrawnEdge {
  readonly id: string;
  readonly kind: DrawnEdgeKind;
  readonly from: string;
  readonly to: string;
  /** What is written on it, such as "else"; empty for most. */
  readonly label: string;
  /** Keys of the steps that are skipped by whatever goes this way. */
  readonly past: readonly string[];
}

export interface DrawnGroup {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly kind: string;
  readonly parent: string | null;
  readonly nodes: readonly string[];
  /** Keys of its steps. */
  readonly steps: readonly string[];
}

export interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly groups: readonly DrawnGroup[];
  /** Nodes and groups that stand next to each other, in the order in which they were written. */
  readonly order: readonly LeftOf[];
}

/** What a step is doing, as the graph shows it. */
export interface StepOverlay {
  readonly status: "idle" | "queued" | "running" | "waiting" | "retrying" | "done" | "failed" | "caught";
  readonly total: number;
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  readonly retrying: number;
  readonly done: number;
  /** For good. */
  readonly failed: number;
  /** Failed, and taken by a handler. */
  readonly caught: number;
  /** Attempts after the first ones. */
  readonly retries: number;
  /** What those that wait are waiting for. */
  readonly waitsFor: "person" | "time" | null;
  /** Sum of the durations of its attempts. */
  readonly elapsedMs: number | null;
  /** Its calls that have a label, the latest one first. */
  readonly calls: readonly LabelledCall[];
}

/** All calls of a step with one label. */
export interface LabelledCall {
  readonly label: string;
  /** Of the latest one; `null` for one that the end of its attempt has interrupted. */
  readonly status: "running" | "done" | "failed" | null;
}

export interface GraphOverlay {
  /** By the key of the step. */
  readonly steps: Readonly<Record<string, StepOverlay>>;
  /** By event type: how many there were. */
  readonly emitted: Readonly<Record<string, number>>;
  /** Whether the run has come to rest. */
  readonly isEnded: boolean;
}
