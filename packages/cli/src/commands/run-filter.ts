/**
 * The filter of `runs` and `tail`, as options and as text: `status:failed workflow:refund label.team=berlin
 * input.order=A-7 version:1.5.0 after:2h "card declined"`.
 */
import { labelsOf, sinceMs } from "../option-values.js";
import { invalidOption } from "../output/cli-error.js";
import { runStatuses } from "../target/run-rows.js";
import type { RunListQuery, RunStatus } from "../target/target.types.js";

export interface FilterOptions {
  readonly workflow?: string;
  readonly status: readonly string[];
  readonly label: readonly string[];
  /** Terms in one text. */
  readonly where?: string;
}

type Filter = Omit<RunListQuery, "limit" | "cursor">;

/** @throws {CliError} `OPTION_INVALID` with all problems. */
export function filterOf({ workflow, status, label, where = "" }: FilterOptions, nowMs: number): Filter {
  const filter: Draft = {
    statuses: status.map(statusOf),
    labels: labelsOf(label),
    input: {},
    words: [],
    problems: [],
  };
  if (workflow !== undefined) filter.workflow = workflow;
  for (const term of termsOf(where)) takeTerm(filter, term, nowMs);
  const { statuses, labels, input, words, problems, ...rest } = filter;
  if (problems.length > 0)
    throw invalidOption(
      `\`--where\` is wrong: ${problems.join("; ")}.`,
      "Use status:, workflow:, version:, label.<name>=, input.<name>=, step:, error:, after:, before: and words to search for.",
    );
  return {
    ...rest,
    ...(statuses.length > 0 && { status: statuses }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(input).length > 0 && { input }),
    ...(words.length > 0 && { search: words.join(" ") }),
  };
}

export function statusOf(text: string): RunStatus {
  const known = runStatuses.find((status) => status === text);
  if (known !== undefined) return known;
  throw invalidOption(`\`--status\` is ${JSON.stringify(text)}.`, `Use one of ${runStatuses.join(", ")}.`);
}

interface Draft {
  workflow?: string;
  version?: string;
  failure?: string;
  failedStep?: string;
  createdAfter?: number;
  createdBefore?: number;
  readonly statuses: RunStatus[];
  readonly labels: Record<string, string>;
  readonly input: Record<string, string>;
  readonly words: string[];
  readonly problems: string[];
}

/** Separated by spaces; a quoted part may have some. */
function termsOf(text: string): readonly string[] {
  return (text.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((term) => term.replaceAll('"', ""));
}

function takeTerm(filter: Draft, term: string, nowMs: number): void {
  const [, name, value = ""] =
    /^(status|workflow|version|step|after|before|error|(?:label|input)\.[^=]+)[:=](.*)$/s.exec(term) ?? [];
  if (name === undefined) {
    const [, unknown] = /^([a-z][\w.]*):\S/i.exec(term) ?? [];
    if (unknown === undefined) filter.words.push(term);
    else filter.problems.push(`\`${unknown}:\` is unknown`);
  } else if (value === "") filter.problems.push(`\`${term}\` has no value`);
  else if (name.startsWith("label.")) filter.labels[name.slice("label.".length)] = value;
  else if (name.startsWith("input.")) filter.input[name.slice("input.".length)] = value;
  else if (name === "workflow" || name === "version") filter[name] = value;
  else if (name === "step") filter.failedStep = value;
  else if (name === "error") filter.failure = value;
  else if (name === "status") takeStatus(filter, value);
  else takeTime(filter, { name: name === "after" ? "createdAfter" : "createdBefore", value, nowMs });
}

function takeStatus({ statuses, problems }: Draft, value: string): void {
  const known = runStatuses.find((status) => status === value);
  if (known === undefined) problems.push(`\`status:${value}\` is none of ${runStatuses.join(", ")}`);
  else statuses.push(known);
}

interface TimeTerm {
  readonly name: "createdAfter" | "createdBefore";
  readonly value: string;
  readonly nowMs: number;
}

function takeTime(filter: Draft, { name, value, nowMs }: TimeTerm): void {
  const ms = sinceMs(value, nowMs);
  if (ms === null) filter.problems.push(`\`${value}\` is neither a duration such as 2h nor a time such as 2026-11-20`);
  else filter[name] = ms;
}
