/**
 * What a step receives, with lookups of everything that ran before it.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import { deepestContent, hasRun, isGroup, lastContent } from "./deepest-content.js";
import { type HistoryRun, historyText, historyWindow } from "./history-text.js";
import type { HumanInput } from "./human-input.types.js";
import { emptyMedia } from "./media.js";
import type { Media, MediaSet } from "./media.types.js";
import type { StepOutput } from "./step-output.types.js";
import { isEmptyContent, toText } from "./text.js";

/** What a {@link StepInput} is made of: plain data. */
export interface StepInputFields {
  readonly input: unknown;
  /** Everything before the step in the order of completion: of the outer groups, then of its own. */
  readonly outputs?: readonly StepOutput[];
  readonly additionalData?: Readonly<Record<string, unknown>> | undefined;
  /** The media of the run's input and of all outputs before. A function is called when somebody looks. */
  readonly media?: MediaSet | (() => MediaSet);
  /** Completed runs of the session, the oldest first. Null: they were not loaded. */
  readonly history?: readonly HistoryRun[] | null;
  readonly humanInput?: HumanInput | undefined;
}

/** What a function, an evaluator or a selector receives. */
export class StepInput {
  /** The input of the run, the same for every step; checked, where the pipeline has an `inputSchema`. */
  readonly input: unknown;
  /**
   * What the step before ended with, with its type. Of a group of steps: what its last step ended with. Of a Parallel: the
   * joined results. `undefined` for the first step.
   */
  readonly previousStepContent: unknown;
  /** As given to the run. */
  readonly additionalData: Readonly<Record<string, unknown>>;
  /** What people said to this step before it ran. */
  readonly humanInput: HumanInput | undefined;
  readonly #outputs: readonly StepOutput[];
  readonly #history: readonly HistoryRun[] | null;
  /** Made when they are asked for: in a long loop every step would pay for all before it. */
  #media: MediaSet | (() => MediaSet);
  #byName: ReadonlyMap<string, StepOutput> | undefined;

  constructor(fields: StepInputFields) {
    const { outputs = [], media = emptyMedia } = fields;
    this.input = fields.input;
    this.additionalData = fields.additionalData ?? {};
    this.humanInput = fields.humanInput;
    this.#media = media;
    this.previousStepContent = lastContent(outputs);
    this.#outputs = outputs;
    this.#history = fields.history === undefined ? [] : fields.history;
  }

  /** Those of the run's input, then those of all steps before. */
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

  /**
   * Outputs by name in the order of completion, without what was skipped. Of steps with one name, the last one that ran:
   * {@link getStepOutputs} has them all.
   */
  get previousStepOutputs(): ReadonlyMap<string, StepOutput> {
    this.#byName ??= byName(this.#outputs.filter(hasRun));
    return this.#byName;
  }

  /** Text as it is, anything else as JSON indented by two spaces; `undefined` without input. */
  getInputAsString(): string | undefined {
    return this.input === undefined ? undefined : toText(this.input);
  }

  /**
   * The output of the step of this name: the last one before this step, else the first one inside a group or nested pipeline.
   *
   * A step that was skipped is found when no other has the name; see its `skipped` and `error`.
   */
  getStepOutput(name: string): StepOutput | undefined {
    const direct = this.previousStepOutputs.get(name);
    if (direct) return direct;
    const found = this.getStepOutputs(name);
    return found.find(hasRun) ?? found[0];
  }

  /** All outputs of this name at any depth, the earliest first: repeated steps, all iterations of a loop. */
  getStepOutputs(name: string): readonly StepOutput[] {
    return this.#outputs.flatMap((output) => named(name, output));
  }

  /**
   * What the step of this name ended with. Of a Parallel: an object with the text of each branch by its name, branches without
   * content left out; of branches with one name, the others have a number behind it: `"look"`, `"look 2"`. Of another group: what its last step ended with. `undefined` when there is no such step or it was skipped.
   */
  getStepContent(name: string): unknown {
    const output = this.getStepOutput(name);
    if (!output || !hasRun(output)) return undefined;
    return output.stepType === "Parallel" ? branchTexts(output) : deepestContent(output);
  }

  /** What every step before ended with, each below a line with its name; "" when nothing came before. */
  getAllPreviousContent(): string {
    return this.#outputs
      .map((output) => ({ name: output.stepName, content: deepestContent(output) }))
      .filter(({ content }) => !isEmptyContent(content))
      .map(({ name, content }) => `=== ${name} ===\n${toText(content)}`)
      .join("\n\n");
  }

  /** The same as {@link previousStepContent}. */
  getLastStepContent(): unknown {
    return this.previousStepContent;
  }

  /**
   * Input and response of earlier runs of the session as texts, the oldest first.
   *
   * @param count Of the newest runs. All when it is not given, none below 1.
   * @throws {WorkflowError} `OPTION_INVALID` when the pipeline does not load history.
   */
  getWorkflowHistory(count?: number): readonly (readonly [input: string, response: string])[] {
    return historyWindow(this.#loaded(), count).map(({ input, content }) => [toText(input), toText(content)] as const);
  }

  /** Earlier runs of the session as a block for a prompt; `undefined` when there are none. @see {@link getWorkflowHistory} */
  getWorkflowHistoryContext(count?: number): string | undefined {
    return historyText(historyWindow(this.#loaded(), count));
  }

  #loaded(): readonly HistoryRun[] {
    if (this.#history !== null) return this.#history;
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: "A step asks for earlier runs of the session, which the pipeline does not load.",
      hint: "Give the pipeline `numHistoryRuns` (how many may be asked for), or `addWorkflowHistoryToSteps: true`, or the step `addWorkflowHistory: true`.",
    });
  }
}

/** A name that comes again moves to the end. */
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
    const name = names.get(stepId) ?? freeName(texts, stepName); // of the iterations of a loop, the last one
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
