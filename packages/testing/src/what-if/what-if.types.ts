/** What `whatIf` takes, and what it reports. */
import type { ResourceOverride } from "millrace";
import type { RunFilter, Runtime } from "millrace/runtime";
import type { Ended } from "../harness/drive.js";
import type { ReplayedCall } from "../replay/recorded-world.js";

/** Runs of a store. Those that have not completed or failed, and forks, are left out. */
export interface StoredRuns extends Omit<RunFilter, "workflow" | "status" | "order" | "limit" | "cursor"> {
  readonly runtime: Runtime;
  /** Name of the workflow in the runtime. */
  readonly workflow: string;
  /** How many, the newest first. Integer from 1. @default 500 */
  readonly last?: number;
  /** @default completed and failed runs */
  readonly status?: readonly ("completed" | "failed")[];
}

/** A call that the recording does not answer, because it is another one now. */
export interface UnknownCall extends ReplayedCall {
  readonly runId: string;
  /**
   * `absent`: the recorded run did not make it. `arguments`: it called the tool with others. `input`: its step has another input.
   * `before`: a live call before it in the step has answered differently. In the last two cases what it is made with may differ.
   */
  readonly why: "absent" | "arguments" | "input" | "before";
  /** Arguments of a tool that a model has called; otherwise `undefined`. */
  readonly input: unknown;
  /**
   * What the call of the same key, or of the same tool, has answered in the recorded run: of a tool `{ output }` or `{ error }`.
   * `undefined` if there is none, or it failed.
   */
  readonly recorded: unknown;
}

/** An answer to an unknown call, as its function would return it; `null`: there is none, and the run stops. */
export type JudgedAnswer = { readonly answer: unknown } | null;

/** Something that a run has decided. */
export interface Decision {
  /** `call`: of a tool or of `ctx.run`. `branch`: what a step emitted. `question`: to a person. `result`: how the run ended. */
  readonly kind: "call" | "branch" | "question" | "result";
  /** `null` for questions and for the end of the run. */
  readonly step: string | null;
  /** The tool, or label or key of the call; types of the events; type of the question; status of the run. */
  readonly name: string;
  /** Arguments of a tool, or the result of the run, as text for people; otherwise empty. */
  readonly value: string;
}

export interface DecidedRun {
  readonly runId: string;
  readonly decisions: readonly Decision[];
  readonly status: Ended["status"];
  /** Result of a completed run; otherwise `undefined`. */
  readonly result: unknown;
}

export interface WhatIfOptions {
  /**
   * Calls that are made, instead of being answered from the recording: keys, labels, or a function. `"model"` stands for the model
   * calls of agents and of `recorded`, and for calls with that key or label.
   *
   * @default ["model"]
   */
  readonly live?: readonly string[] | ((call: ReplayedCall) => boolean);
  /**
   * What happens at a call that the recording does not answer. `stop`: the run ends there, and nothing is done. `live`: the call is
   * made, with its effect. A function answers it, such as `({ recorded }) => ({ answer: recorded })`; when it throws, the run stops.
   *
   * @default "stop"
   */
  readonly unknown?: "stop" | "live" | ((call: UnknownCall) => JudgedAnswer | Promise<JudgedAnswer>);
  /**
   * Model of all agents of `@millrace/agents`, and of `recorded`: a model of the AI SDK, or the name of another model of the provider
   * that each of them has. Other code gets its model from you: pass the workflow with it, or `resources`.
   *
   * @default the model of the code
   */
  readonly model?: string | object;
  /** Instructions of all agents, or by the name of the agent. @default those of the code */
  readonly instructions?: string | { readonly [agent: string]: string };
  /** Names of fields of inputs, prompts and results that are not compared, at any depth, such as `["at", "metrics"]`. @default none */
  readonly ignore?: readonly string[];
  /**
   * Compares two runs that have ended. Returns the difference in words, or `null`: they decided the same.
   *
   * @default all decisions are equal
   */
  readonly compare?: (recorded: DecidedRun, played: DecidedRun) => string | null;
  readonly resources?: readonly ResourceOverride[];
  /** As in `runToEnd`; live calls take as long as they need. @default 2000 */
  readonly timeoutTurns?: number;
  /** Called after each run. */
  readonly onRun?: (run: WhatIfRun) => void;
}

/** What the live calls of a run have used. */
export interface Used {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In the currency of the price list of the agents; `null` where no call has a price. */
  readonly cost: number | null;
  /** Sum over the calls, in milliseconds. */
  readonly latencyMs: number;
}

export interface WhatIfRun {
  readonly runId: string;
  /**
   * `same`: all decisions. `other`: at least one decision differs. `unknown`: no decision differs, but the run could not be played to
   * its end.
   */
  readonly verdict: "same" | "other" | "unknown";
  /** The first difference, or why the run could not be played, in words; `null` for `same`. */
  readonly first: string | null;
  /** All differences, in the order of the recorded run. */
  readonly differences: readonly string[];
  /** The call at which the run stopped; `null`: at none. */
  readonly stoppedAt: UnknownCall | null;
  /** `false`: it was stopped before its end, or a live call has failed. */
  readonly ended: boolean;
  readonly recorded: Used;
  readonly played: Used;
}

export interface SkippedRun {
  readonly runId: string;
  readonly why: string;
}

export interface WhatIfReport {
  readonly runs: readonly WhatIfRun[];
  /** Runs of the store that cannot be recorded, such as forks. */
  readonly skipped: readonly SkippedRun[];
  readonly same: number;
  readonly other: number;
  readonly unknown: number;
  /** `same` of all runs that were played, from 0 to 1; 1 for no runs. */
  readonly share: number;
  /** What the live calls had used, of the runs that were played to their end. */
  readonly recorded: Used;
  readonly played: Used;
}
