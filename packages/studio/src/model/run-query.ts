/** The filter of the list of runs as one line: `status:failed workflow:refund label.team=berlin input.order=A-7 after:2h declined`. */
import { noFilter, type RunFilter, type StatusFilter, sinceMs } from "./run-filter.js";

const statuses: ReadonlySet<string> = new Set<StatusFilter>([
  "running",
  "waiting",
  "queued",
  "failed",
  "completed",
  "cancelled",
]);

export interface ReadQuery {
  readonly filter: RunFilter;
  /** What is wrong with it; `null` for nothing. */
  readonly problem: string | null;
}

/** Terms with a known name are conditions; all other words are searched for. */
export function readQuery(text: string, nowMs: number): ReadQuery {
  const labels: Record<string, string> = {};
  const input: Record<string, string> = {};
  const words: string[] = [];
  const found: {
    -readonly [Field in "status" | "workflow" | "version" | "step" | "after" | "before" | "error"]?: string;
  } = {};
  const problems: string[] = [];
  for (const term of text.match(/(?:[^\s"]|"[^"]*")+/g) ?? []) {
    const [, name, quoted = ""] =
      /^(status|workflow|version|step|after|before|error|(?:label|input)\.[^=:]+)[:=](.*)$/s.exec(term) ?? [];
    const value = quoted.replaceAll('"', "");
    if (name === undefined) words.push(term.replaceAll('"', ""));
    else if (value === "") problems.push(`${term} has no value yet.`);
    else if (name.startsWith("label.")) labels[name.slice("label.".length)] = value;
    else if (name.startsWith("input.")) input[name.slice("input.".length)] = value;
    else found[name as keyof typeof found] = value;
  }
  const { status = "all", workflow = "", version = "", step = "", after = "", before = "", error = "" } = found;
  if (status !== "all" && !statuses.has(status)) problems.push(`A status is one of ${[...statuses].join(", ")}.`);
  for (const time of [after, before])
    if (time !== "" && sinceMs(time, nowMs) === null) problems.push(`${time} is neither as 2h nor as 2026-11-20.`);
  const filter = {
    status: status as StatusFilter,
    workflow,
    version,
    labels,
    input,
    after,
    before,
    failure: error,
    failedStep: step,
    search: words.join(" "),
  };
  return { filter, problem: problems[0] ?? null };
}

/** The line that {@link readQuery} reads; `""` without a filter. */
export function queryOf(filter: RunFilter): string {
  const { status, workflow, version, labels, input, after, before, failure, failedStep, search } = filter;
  const terms = [
    status === noFilter.status ? "" : `status:${status}`,
    workflow === "" ? "" : `workflow:${asTerm(workflow)}`,
    version === "" ? "" : `version:${asTerm(version)}`,
    ...Object.entries(labels).map(([name, value]) => `label.${name}=${asTerm(value)}`),
    ...Object.entries(input).map(([name, value]) => `input.${name}=${asTerm(value)}`),
    failedStep === "" ? "" : `step:${asTerm(failedStep)}`,
    failure === "" ? "" : `error:${failure}`,
    after === "" ? "" : `after:${after}`,
    before === "" ? "" : `before:${before}`,
    search.trim(),
  ];
  return terms.filter(Boolean).join(" ");
}

/** In quotes if it has spaces. */
function asTerm(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
