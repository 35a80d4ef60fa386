import { WorkflowError } from "millrace";
import { decisionProblems } from "./check-decision.js";
import type { HumanDecision, RequirementData } from "./requirement.types.js";

/**
 * A question of a paused run. A decision is checked when it is made here, and again by the run.
 *
 * @example
 * const output = await pipeline.run("Write about rivers");
 * for (const requirement of output.requirements) requirement.confirm();
 * const done = await pipeline.continueRun(output);
 */
export class StepRequirement {
  /** Id of the question, which survives restarts. */
  readonly requirementId: string;
  /** Id of the run that asks: of a nested pipeline, or of the run itself. */
  readonly runId: string;
  readonly data: RequirementData;
  /** Problems of the previous answer; empty the first time. */
  readonly problems: readonly string[];
  #decision: HumanDecision | null = null;

  constructor(
    fields: Pick<StepRequirement, "requirementId" | "runId" | "data"> & { readonly problems?: readonly string[] },
  ) {
    this.requirementId = fields.requirementId;
    this.runId = fields.runId;
    this.data = fields.data;
    this.problems = fields.problems ?? [];
  }

  get kind(): RequirementData["kind"] {
    return this.data.kind;
  }

  get stepName(): string {
    return this.data.stepName;
  }

  get message(): string {
    return this.data.message;
  }

  get isResolved(): boolean {
    return this.#decision !== null;
  }

  /** The decision made here; `null` before it. */
  get decision(): HumanDecision | null {
    return this.#decision;
  }

  /** Approves: the step may run, the output or iteration is accepted, or every tool call is allowed. */
  confirm(): void {
    const tools = this.data.tools.map(({ toolCallId }) => ({ toolCallId, approved: true, note: null }));
    this.decide({ decision: "confirm", ...(this.kind === "executor" && { tools }) });
  }

  /** Rejects. The step's `onReject` decides what follows; with `"retry"` the step runs again with this feedback. */
  reject(feedback?: string): void {
    if (this.kind === "executor") return this.answerTools({ approved: false, note: feedback ?? null });
    this.decide({ decision: "reject", ...(feedback !== undefined && { feedback }) });
  }

  /** Approves with this content instead of the output's. */
  edit(output: unknown): void {
    this.decide({ decision: "confirm", output });
  }

  /** Fills in the fields. */
  setUserInput(values: Readonly<Record<string, unknown>>): void {
    this.decide({ decision: "confirm", values });
  }

  /** Selects choices of a router, in the order in which they run. */
  select(...choices: readonly string[]): void {
    this.decide({ decision: "confirm", choices });
  }

  /** After an error: runs the step again. */
  retry(): void {
    this.decide({ decision: "retry" });
  }

  /** After an error: continues without the step. */
  skip(): void {
    this.decide({ decision: "skip" });
  }

  /** Answers every waiting tool call alike. */
  answerTools({ approved, note }: { readonly approved: boolean; readonly note: string | null }): void {
    const tools = this.data.tools.map(({ toolCallId }) => ({ toolCallId, approved, note }));
    this.decide({ decision: "confirm", tools });
  }

  /** @throws {WorkflowError} `REQUIREMENT_INVALID` naming every problem; the requirement then stays open. */
  decide(decision: HumanDecision): void {
    const problems = decisionProblems(this.data, decision);
    if (problems.length > 0) throw invalidDecisions([{ data: this.data, problems }]);
    this.#decision = decision;
  }

  /** Plain data for a person elsewhere: the question, and the id to answer with. */
  toJSON(): object {
    const { requirementId, runId, problems, data } = this;
    return { requirementId, runId, problems, ...data };
  }
}

interface InvalidDecision {
  readonly data: RequirementData;
  readonly problems: readonly string[];
}

/** Reports all problems of all decisions. */
export function invalidDecisions(wrong: readonly InvalidDecision[]): WorkflowError {
  const [first] = wrong as [InvalidDecision];
  const { stepName, kind } = first.data;
  return new WorkflowError({
    code: "REQUIREMENT_INVALID",
    message: wrong
      .map(
        ({ data, problems }) =>
          `The answer to the ${data.kind} of "${data.stepName}" is wrong: ${problems.join("; ")}.`,
      )
      .join(" "),
    hint: "Pass what the requirement asks for: see its `kind`, `fields`, `choices` and `tools`.",
    details: { stepName, kind, problems: wrong.flatMap(({ problems }) => problems) },
  });
}
