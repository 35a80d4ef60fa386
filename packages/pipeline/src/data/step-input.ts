/**
 * The input of a step, with access to the outputs of everything before it.
 *
 * @module
 */

import { emptyMedia, isEmptyContent, type Media, type MediaSet, toText } from "@millrace/executor";
import { WorkflowError } from "millrace";
import { deepestContent, hasRun, isGroup } from "./deepest-content.js";
import { type HistoryRun, historyText, historyWindow } from "./history-text.js";
import type { HumanInput } from "./message.js";
import type { StepOutput } from "./step-output.types.js";

/** Plain data from which a {@link StepInput} is made. */
export interface StepInputFields {
  readonly input: unknown;
  /** Outputs before the step in order of completion: of the outer groups, then of the step's group. A function is called on first access. */
  readonly outputs?: readonly StepOutput[] | (() => readonly StepOutput[]);
  /** The last of them that has run; `null` for none. @default looked for in `outputs` */
  readonly last?: StepOutput | null;
  readonly additionalData?: Readonly<Record<string, unknown>> | undefined;
  /** Media of the run's input and of all earlier outputs. A function is called on first access. */
  readonly media?: MediaSet | (() => MediaSet);
  /** Completed runs of the session, oldest first; `null` when they were not loaded. */
  readonly history?: readonly HistoryRun[] | null;
  readonly humanInput?: HumanInput | undefined;
}

/**
 * The argument of functions, evaluators and selectors. Its methods may be taken out of it: `({ getStepContent }) => …`.
 *
 * `Contents` are the contents of earlier steps by name, as far as their types are known; `Input` is that of the run.
 */
export class StepInput<Contents extends object = object, Input = unknown> {
  static {
    bindWhenRead(this.prototype);
  }

  /** Input of the run, equal for every step; checked when the pipeline has an `inputSchema`. */
  readonly input: Input;
  /**
   * Content of the previous step, with its type. For a group of steps it is the content of the group's last step; for a
   * Parallel, the joined results. `undefined` for the first step.
   */
  readonly previousStepContent: unknown;
  /** The `additionalData` of the run. */
  readonly additionalData: Readonly<Record<string, unknown>>;
  /** Answers of people to this step before it ran. */
  readonly humanInput: HumanInput | undefined;
  /** Computed on first access, as the media are: otherwise every step of a long loop would pay for all earlier ones. */
  #outputs: readonly StepOutput[] | (() => readonly StepOutput[]);
  readonly #history: readonly HistoryRun[] | null;
  #media: MediaSet | (() => MediaSet);
  #byName: ReadonlyMap<string, StepOutput> | undefined;

  constructor(fields: StepInputFields) {
    const { outputs = [], media = emptyMedia } = fields;
    this.input = fields.input as Input;
    this.additionalData = fields.additionalData ?? {};
    this.humanInput = fields.humanInput;
    this.#media = media;
    this.#outputs = outputs;
    const { last = this.#allOutputs().findLast(hasRun) ?? null } = fields;
    this.previousStepContent = last === null ? undefined : deepestContent(last);
    this.#history = fields.history === undefined ? [] : fields.history;
  }

  /** Images of the run's input, then those of all earlier steps. */
  get images(): readonly Media[] {
    return this.#allMedia().images;
  }

  get videos(): readonly Media[] {
    return this.#allMedia().videos;
  }

  get audio(): readonly Media[] {
    return this.#allMedia().audio;
  }

  get files(): readonly Media[] {
    return this.#allMedia().files;
  }

  #allMedia(): MediaSet {
    if (typeof this.#media === "function") this.#media = this.#media();
    return this.#media;
  }

  #allOutputs(): readonly StepOutput[] {
    if (typeof this.#outputs === "function") this.#outputs = this.#outputs();
    return this.#outputs;
  }

  /**
   * Earlier outputs by name, in order of completion, without skipped ones. For several steps with one name, the last
   * that ran; {@link getStepOutputs} returns them all.
   */
  get previousStepOutputs(): ReadonlyMap<string, StepOutput> {
    this.#byName ??= byName(this.#allOutputs().filter(hasRun));
    return this.#byName;
  }

  /** The input as text: text unchanged, other values as JSON indented by two spaces; `undefined` without input. */
  getInputAsString(): string | undefined {
    return this.input === undefined ? undefined : toText(this.input);
  }

  /**
   * Output of the step with this name: the last one before this step, or the first one inside of a group or nested
   * pipeline.
   *
   * A skipped step is found when no other step has the name; see its `skipped` and `error`.
   */
  getStepOutput(name: string): StepOutput | undefined {
    const direct = this.previousStepOutputs.get(name);
    if (direct) return direct;
    const found = this.getStepOutputs(name);
    return found.find(hasRun) ?? found[0];
  }

  /** All outputs with this name at any depth, earliest first: of repeated steps, and of every iteration of a loop. */
  getStepOutputs(name: string): readonly StepOutput[] {
    return this.#allOutputs().flatMap((output) => named(name, output));
  }

  /**
   * Content of the step with this name. For a Parallel, an object with the text of each branch by its name, without
   * empty branches; repeated names get a number: `"look"`, `"look 2"`. For another group, the content of its last step.
   * `undefined` when the step does not exist or was skipped.
   */
  getStepContent<Name extends keyof Contents & string>(name: Name): Contents[Name] | undefined;
  getStepContent(name: string): unknown;
  getStepContent(name: string): unknown {
    const output = this.getStepOutput(name);
    if (!output || !hasRun(output)) return undefined;
    return output.stepType === "Parallel" ? branchTexts(output) : deepestContent(output);
  }

  /** Contents of all earlier steps, each below a line with the step's name; "" when there are none. */
  getAllPreviousContent(): string {
    return this.#allOutputs()
      .map((output) => ({ name: output.stepName, content: deepestContent(output) }))
      .filter(({ content }) => !isEmptyContent(content))
      .map(({ name, content }) => `=== ${name} ===\n${toText(content)}`)
      .join("\n\n");
  }

  /** Same as {@link previousStepContent}. */
  getLastStepContent(): unknown {
    return this.previousStepContent;
  }

  /**
   * Input and response of earlier runs of the session as texts, oldest first.
   *
   * @param count Number of the newest runs: all by default, none below 1.
   * @throws {WorkflowError} `OPTION_INVALID` when the pipeline does not load history.
   */
  getWorkflowHistory(count?: number): readonly (readonly [input: string, response: string])[] {
    return historyWindow(this.#loaded(), count).map(({ input, content }) => [toText(input), toText(content)] as const);
  }

  /** Earlier runs of the session as a block for a prompt; `undefined` without runs. @see {@link getWorkflowHistory} */
  getWorkflowHistoryContext(count?: number): string | undefined {
    return historyText(historyWindow(this.#loaded(), count));
  }

  #loaded(): readonly HistoryRun[] {
    if (this.#history !== null) return this.#history;
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: "A step asks for earlier runs of the session, which the pipeline does not load.",
      hint: "Set `numHistoryRuns` of the pipeline (how many may be asked for), or `addWorkflowHistoryToSteps: true`, or `addWorkflowHistory: true` of the step.",
    });
  }
}

/** A repeated name moves to the end. */
function byName(outputs: readonly StepOutput[]): ReadonlyMap<string, StepOutput> {
  const map = new Map<string, StepOutput>();
  for (const output of outputs) {
    map.delete(output.stepName);
    map.set(output.stepName, output);
  }
  return map;
}

function named(name: string, output: StepOutput): StepOutput[] {
  const inside = output.steps.flatMap((child) => named(name, child));
  return output.stepName === name ? [output, ...inside] : inside;
}

function branchTexts(parallel: StepOutput): unknown {
  const branches = parallel.steps.filter(hasRun).flatMap((child) => (isGroup(child) ? child.steps : [child]));
  const texts = new Map<string, string>();
  const names = new Map<string, string>();
  for (const branch of branches) {
    const { stepId, stepName } = branch;
    const content = deepestContent(branch);
    if (isEmptyContent(content)) continue;
    const name = names.get(stepId) ?? freeName(texts, stepName); // the last of a loop's iterations counts
    if (stepId !== "") names.set(stepId, name);
    texts.set(name, toText(content));
  }
  return texts.size > 0 ? Object.fromEntries(texts) : toText(parallel.content);
}

function freeName(taken: ReadonlyMap<string, unknown>, name: string): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} ${count}`;
  return free;
}

/** Each method becomes a getter that binds it: unused methods cost nothing. */
function bindWhenRead(prototype: object): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== "function" || name === "constructor") continue;
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: object) {
        return value.bind(this);
      },
    });
  }
}
