/**
 * `static index` of a workflow: what of an input finds its runs. It is stored beside a run when it is created, and never read back.
 *
 * @module
 */

import type { IndexValue, InputIndex, Workflow } from "../../authoring/workflow.types.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { internalsOf, type Log, type WorkflowEvent } from "../../host.js";
import { formatValue, hasFields, isError, isForbiddenKey } from "../../value/kind.js";
import { nameProblem } from "./call-options.js";

/** Values by name, as texts. */
export type Indexed = { readonly [name: string]: readonly string[] };

const mostNames = 10;
const mostValues = 20;

/** The index of a workflow. @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem. */
export function indexOf(name: string, workflow: Workflow): InputIndex {
  const statics = internalsOf(workflow).built ?? (workflow.constructor as { readonly index?: unknown });
  const { index = {} } = statics as { readonly index?: unknown };
  const problems = hasFields(index) ? indexProblems(index) : ["`index` is not an object of functions"];
  if (problems.length === 0) return index as InputIndex;
  throw new WorkflowError({
    code: "WORKFLOW_INVALID",
    message: `Workflow "${name}" is invalid: ${problems.join("; ")}.`,
    hint: "Write `static index = { order: (input) => input.order }`, with a function for each name.",
    details: { problems },
  });
}

function indexProblems(index: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(index);
  const tooMany =
    entries.length > mostNames ? [`\`index\` has ${entries.length} names; the limit is ${mostNames}`] : [];
  const wrong = entries.flatMap(([name, read]) => [
    ...(/^\w[\w.-]{0,49}$/.test(name) && !isForbiddenKey(name)
      ? []
      : [`\`index\` has the name ${JSON.stringify(name)}, which is not 1 to 50 letters, digits, "_", "-" or "."`]),
    ...(typeof read === "function" ? [] : [`\`index.${name}\` is not a function`]),
  ]);
  return [...tooMany, ...wrong];
}

/**
 * Computes the indexed values of a start event.
 *
 * @throws {WorkflowError} `EVENT_INVALID` naming every function that threw, and every value that cannot be indexed.
 */
export function indexedInput(index: InputIndex, event: WorkflowEvent): Indexed {
  const all = readAll(index, event);
  const problems = all.flatMap((one) => one.problems);
  if (problems.length === 0) return indexedOf(all);
  const thrown = all.find((one) => "cause" in one);
  throw new WorkflowError({
    code: "EVENT_INVALID",
    message: `Event "${event.type}" cannot be indexed: ${problems.join("; ")}.`,
    hint: "Return a text, a number, a boolean, null or a list of texts from each function of `static index`, or undefined for no value.",
    details: { problems },
    ...(thrown !== undefined && { cause: thrown.cause }),
  });
}

/** The same for a run that is there already: what cannot be indexed is left out, and logged. */
export function indexedLater(
  index: InputIndex,
  read: () => object,
  { runId, log }: { readonly runId: string; readonly log: Log },
): Indexed {
  if (Object.keys(index).length === 0) return {};
  try {
    const all = readAll(index, read());
    const problems = all.flatMap((one) => one.problems);
    if (problems.length > 0) log.error(`Run "${runId}" is not found by a part of its input: ${problems.join("; ")}.`);
    return indexedOf(all);
  } catch (error) {
    log.error(`Run "${runId}" is not found by its input, which cannot be read.`, error);
    return {};
  }
}

/** Result of one function. */
interface Made {
  readonly name: string;
  readonly texts: readonly string[];
  readonly problems: readonly string[];
  readonly cause?: unknown;
}

function readAll(index: InputIndex, event: object): Made[] {
  return Object.entries(index).map(([name, read]) => {
    try {
      return madeOf(name, read(event as never));
    } catch (cause) {
      const said = isError(cause) ? cause.message : formatValue(cause);
      return { name, texts: [], problems: [`\`index.${name}\` threw: ${said}`], cause };
    }
  });
}

function madeOf(name: string, value: unknown): Made {
  const texts = textsOf(value);
  if (texts === null) return { name, texts: [], problems: [`\`index.${name}\` is ${formatValue(value)}`] };
  return { name, texts, problems: textProblems(name, texts) };
}

function indexedOf(all: readonly Made[]): Indexed {
  const kept = all.filter(({ texts, problems }) => texts.length > 0 && problems.length === 0);
  return Object.fromEntries(kept.map(({ name, texts }) => [name, texts]));
}

/** `null` for a value of another kind. */
function textsOf(value: unknown): readonly string[] | null {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.every((one) => typeof one === "string") ? [...new Set(value)] : null;
  return isIndexable(value) ? [indexText(value)] : null;
}

/** Whether a value may be looked up. */
export function isIndexable(value: unknown): value is Exclude<IndexValue, undefined | readonly string[]> {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** Returns the stored form: `7` is found by `"7"`, too. */
export function indexText(value: string | number | boolean | null): string {
  return String(value === 0 ? 0 : value); // -0 equals 0
}

function textProblems(name: string, texts: readonly string[]): string[] {
  if (texts.length > mostValues) return [`\`index.${name}\` has ${texts.length} values; the limit is ${mostValues}`];
  return texts.flatMap((text) => nameProblem(`\`index.${name}\``, text, false)).slice(0, 1);
}
