/** Ids, tenants, labels and keys, as every store can hold them. */
import { WorkflowError } from "../errors/workflow-error.js";
import { isForbiddenKey } from "../value/guard.js";

/** What an index of any store takes. */
const LONGEST = 1_000;

/** Kinds of records that the runtime keeps for itself. */
export const ownKinds = "millrace:";

/** A part of what the caller gave, by the name of its option. */
export interface Named {
  readonly runId?: string | undefined;
  readonly tenant?: string | undefined;
  readonly key?: string | undefined;
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
  /** Name of a schedule. */
  readonly schedule?: string | undefined;
  readonly labels?: { readonly [name: string]: string } | undefined;
}

/** @throws {WorkflowError} `OPTION_INVALID` naming all that cannot be stored. */
export function checkNames({ labels = {}, ...names }: Named): void {
  const parts = Object.entries(names).map(([option, text]) =>
    text === undefined ? [] : [...nameProblem(`\`${option}\``, text, option !== "tenant"), ...ownProblem(option, text)],
  );
  const isObject = typeof labels === "object" && labels !== null && !Array.isArray(labels);
  const pairs = Object.entries(isObject ? labels : {}).flatMap(([name, value]) => [
    ...nameProblem(`the name of the label ${JSON.stringify(name)}`, name, true),
    ...nameProblem(`the label "${name}"`, value, false),
    ...(isForbiddenKey(name) ? [`no label may have the name "${name}"`] : []),
  ]);
  if (!isObject) pairs.push("`labels` is no object of texts");
  const problems = [...parts.flat(), ...pairs];
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `What is to be stored cannot be: ${problems.join("; ")}.`,
    hint: `Give text of at most ${LONGEST} characters, without U+0000 and without half of a surrogate pair.`,
    details: { problems },
  });
}

/** None, or the one that comes first. */
export function nameProblem(what: string, text: unknown, isRequired: boolean): string[] {
  if (typeof text !== "string") return [`${what} is no text`];
  if (text.length > LONGEST) return [`${what} has ${text.length} characters`];
  if (isRequired && text === "") return [`${what} is empty`];
  return text.includes("\0") || !isWellFormed(text) ? [`${what} has characters that no store keeps`] : [];
}

function ownProblem(option: string, text: unknown): string[] {
  return option === "kind" && typeof text === "string" && text.startsWith(ownKinds)
    ? [`\`kind\` begins with "${ownKinds}", as those of the runtime do`]
    : [];
}

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDFFF]/u.test(text);
}
