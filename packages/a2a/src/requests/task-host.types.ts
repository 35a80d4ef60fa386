import type { Runtime } from "millrace/runtime";
import type { TaskMessage } from "../message/message-input.js";
import type { PushConfigs } from "../push/push-configs.js";
import type { ShowOptions } from "../tasks/run-task.js";
import type { Fields } from "../wire/parts.js";

/** A workflow as other agents see it. */
export interface Skill {
  /** What it does, for the model of the other agent. */
  readonly description: string;
  /** @default the name of the workflow */
  readonly name?: string;
  readonly tags?: readonly string[];
  /** Messages that it can handle. */
  readonly examples?: readonly string[];
}

/** What a door offers. */
export interface TaskHost extends ShowOptions {
  readonly runtime: Runtime;
  /** By the names of their workflows. */
  readonly skills: Readonly<Record<string, Skill>>;
  readonly input: ((message: TaskMessage) => Fields | Promise<Fields>) | undefined;
  /** Milliseconds that a request waits for a task. */
  readonly waitMs: number;
  /** `null`: no push notifications. */
  readonly push: PushConfigs | null;
}
