/**
 * Checks how the steps of a workflow fit together.
 *
 * A mistake is reported once, where it is; problems that follow from it are not reported.
 *
 * @module
 */

import type { GraphCheck } from "../authoring/step.types.js";
import type { Definition, Finding, Report, StepDefinition } from "../engine/definition.js";
import { type Need, optionalModules } from "../engine/optional-modules.js";
import { acceptedTypes, createRouting, isExternal, type Routing } from "../engine/routing.js";
import { type EventClass, type EventRole, eventTypeOf, isEventClass, roleOf } from "../event/event.js";
import { formatValue } from "../value/kind.js";
import { suggest, unknownNames } from "../value/option-rules.js";
import { type knownOptions, namesOf } from "../value/options.js";

export type { Finding } from "../engine/definition.js";

export const graphChecks: readonly GraphCheck[] = ["reachability", "deadEnd", "uncollected"];

export interface GraphSettings {
  /** Checks to skip for all steps. */
  readonly workflow: readonly GraphCheck[];
  /** Checks to skip by step. */
  readonly steps: ReadonlyMap<string, readonly GraphCheck[]>;
  /** Steps whose lists include the subclasses of what they name: only one event of such a list must be emitted. */
  readonly subclasses: ReadonlySet<string>;
}

/** All findings by check, each in the order of the steps. */
export function findGraphProblems(definition: Definition, settings: GraphSettings): Finding[] {
  const { steps, roles } = definition;
  if (steps.length === 0) {
    const hint = "Decorate a method with `@step({ on, emits })`, or add `step(options, run)`.";
    return [{ check: "steps", message: "The workflow has no steps.", hint }];
  }
  const emitted = new Set(steps.flatMap((step) => step.emits));
  const roleOf = (type: string): EventRole => roles[type] as EventRole;
  const graph: Graph = { steps, settings, roleOf, emitted, routing: createRouting(definition) };
  const ends = checkEnds(graph);
  const missing = steps.flatMap((step) => checkAccepted(graph, step));
  const incomplete = new Set(missing.map(({ step }) => step));
  const levels = optionalModules.fanOutChecks?.check(definition, (name) => isChecked(graph, "uncollected", name)) ?? [];
  return [
    ...ends,
    ...steps.flatMap((step) => checkEmitted(graph, step)),
    ...missing,
    ...levels.filter(({ step }) => !incomplete.has(step)),
    // Without a start event no step is reached; without a stop event every step is a dead end.
    ...(ends.length === 0 ? checkPaths(graph) : []),
    ...(optionalModules.handlers?.(steps) ?? []),
  ];
}

interface Graph {
  readonly steps: readonly StepDefinition[];
  readonly settings: GraphSettings;
  readonly roleOf: (type: string) => EventRole;
  readonly emitted: ReadonlySet<string>;
  readonly routing: Routing;
}

function checkEnds({ steps, roleOf, emitted }: Graph): Finding[] {
  const findings: Finding[] = [];
  const begins = (step: StepDefinition): boolean =>
    step.trigger.kind !== "collect" && acceptedTypes(step).some((type) => roleOf(type) === "start");
  if (!steps.some(begins)) {
    findings.push({
      check: "start",
      message: "No step accepts a start event: the workflow cannot begin.",
      hint: "Add a step with `on: StartEvent`, or with your own start event.",
    });
  }
  if (![...emitted].some((type) => roleOf(type) === "stop")) {
    findings.push({
      check: "stop",
      message: "No step emits a stop event: the workflow cannot end.",
      hint: "Add `StopEvent`, or a stop event of your own, to the `emits` of the last step.",
    });
  }
  return findings;
}

function checkEmitted({ routing, roleOf, steps }: Graph, { name, emits, streams }: StepDefinition): Finding[] {
  const lost = emits.filter((type) => !leavesRun(roleOf(type)) && takersOf(routing, type).length === 0);
  return lost.map((event) => {
    const shown = streams.includes(event)
      ? " Leave it out of `emits` if it is only shown."
      : " List it in `streams` if it is only shown.";
    const taken = steps.flatMap((step) => [...acceptedTypes(step), ...step.waits]);
    const message = `No step accepts ${event}, which step "${name}" emits.`;
    return {
      check: "unconsumed",
      step: name,
      event,
      message,
      hint: `Name it in the \`on\` or \`waits\` of a step.${shown}${suggest(event, taken)}`,
    };
  });
}

function checkAccepted({ settings, roleOf, emitted }: Graph, step: StepDefinition): Finding[] {
  const missing = needsOf(step, settings.subclasses.has(step.name)).filter(
    ({ inside, types }) =>
      !types.some((type) => emitted.has(type) || (inside === undefined && comesFromOutside(roleOf(type)))),
  );
  return missing.map(({ check, verb, types, inside }) => {
    const event = types[0] as string;
    const outside = inside ?? "If it comes from outside, make it an `ExternalEvent`; otherwise a";
    const message = `No step emits ${types.join(" or ")}, which step "${step.name}" ${verb}.`;
    return {
      check,
      step: step.name,
      event,
      message,
      hint: `${outside}dd it to the \`emits\` of a step.${suggest(event, emitted)}`,
    };
  });
}

function needsOf({ trigger, waits }: StepDefinition, isWide: boolean): Need[] {
  const accepted: readonly Need[] =
    trigger.kind === "event"
      ? [{ check: "unproduced", verb: "accepts", types: trigger.accepts }]
      : (optionalModules.fanOutChecks?.needsOf(trigger) ?? []);
  const needs = [...accepted, { check: "unproduced", verb: "waits for", types: waits }];
  return needs.flatMap((need) =>
    (isWide && need.types.length > 0) || need.check === "join"
      ? need
      : need.types.map((type) => ({ ...need, types: [type] })),
  );
}

function isChecked({ settings }: Graph, check: GraphCheck, name: string): boolean {
  return !settings.workflow.includes(check) && !settings.steps.get(name)?.includes(check);
}

function checkPaths(graph: Graph): Finding[] {
  const { steps } = graph;
  const reached = grow(steps, (step, known) => isReached(graph, step, known));
  const ending = grow(steps, (step, known) => canEnd(graph, step, known));
  const unreached = steps.filter((step) => !reached.has(step.name) && isChecked(graph, "reachability", step.name));
  const endless = steps.filter(
    ({ name }) => reached.has(name) && !ending.has(name) && isChecked(graph, "deadEnd", name),
  );
  return [
    ...unreached.map((step) => describeUnreached(graph, step, reached)),
    ...endless.map((step) => describeDeadEnd(graph, step)),
  ];
}

/** Names of the steps for which `holds`, which may use what is known of other steps. */
function grow(
  steps: readonly StepDefinition[],
  holds: (step: StepDefinition, known: ReadonlySet<string>) => boolean,
): ReadonlySet<string> {
  const known = new Set<string>();
  let size = -1;
  while (size < known.size) {
    size = known.size;
    for (const step of steps) if (!known.has(step.name) && holds(step, known)) known.add(step.name);
  }
  return known;
}

/**
 * A reached step emits everything it lists. Error handlers always count as reached, and so do steps without an emitted
 * event, which are already reported.
 */
function isReached(graph: Graph, { trigger }: StepDefinition, reached: ReadonlySet<string>): boolean {
  if (trigger.kind === "failure") return true;
  const lists = trigger.kind === "join" ? trigger.slots.map((slot) => slot.accepts) : [trigger.accepts];
  return lists.every(
    (types) => types.some((type) => arrives(graph, type, reached)) || !types.some((type) => graph.emitted.has(type)),
  );
}

function arrives({ steps, roleOf }: Graph, type: string, reached: ReadonlySet<string>): boolean {
  return comesFromOutside(roleOf(type)) || steps.some((step) => reached.has(step.name) && step.emits.includes(type));
}

/** A step that emits nothing ends its branch. Events that no step accepts are already reported. */
function canEnd({ routing, roleOf }: Graph, { emits, streams }: StepDefinition, ending: ReadonlySet<string>): boolean {
  if (emits.length === 0 || streams.some((type) => leavesRun(roleOf(type)))) return true;
  return emits.some((type) => {
    const takers = takersOf(routing, type);
    return leavesRun(roleOf(type)) || takers.length === 0 || takers.some((taker) => ending.has(taker));
  });
}

function describeUnreached(graph: Graph, step: StepDefinition, reached: ReadonlySet<string>): Finding {
  const { name } = step;
  const missing = acceptedTypes(step).filter((type) => graph.emitted.has(type) && !arrives(graph, type, reached));
  const sources = graph.steps.filter((source) => source.emits.some((type) => missing.includes(type)));
  const message = `Nothing leads to step "${name}": ${missing.join(" and ")} can only come from ${quoteNames(sources.map((source) => source.name))}, where nothing leads either.`;
  return {
    check: "reachability",
    step: name,
    event: missing[0] as string,
    message,
    hint: `Emit ${missing.join(" or ")} in a step that a start event leads to.`,
  };
}

function describeDeadEnd({ routing }: Graph, { name, emits }: StepDefinition): Finding {
  const next = quoteNames(emits.flatMap((type) => takersOf(routing, type)));
  const message = `Step "${name}" leads only to ${next}, and never to a stop event, a prompt or a step that emits nothing.`;
  return {
    check: "deadEnd",
    step: name,
    message,
    hint: 'Emit a stop event there, end the branch in a step with `emits: []`, or allow it with `skipChecks: ["deadEnd"]`.',
  };
}

/** Names of the steps that accept the event or wait for it. */
function takersOf({ routes }: Routing, type: string): string[] {
  const route = routes.get(type);
  if (!route) return [];
  return [...[...route.steps, ...route.collects, ...route.joins].map((step) => step.name), ...route.waiting];
}

export function comesFromOutside(role: EventRole): boolean {
  return role === "start" || isExternal(role);
}

/** Events of these roles need no step that accepts them. */
function leavesRun(role: EventRole): boolean {
  return role === "stop" || role === "inputRequired";
}

// ---- checks of the options of steps and of `many()`, which brings its own check along

export function reportUnknown(call: keyof typeof knownOptions, options: object, report: Report): void {
  for (const problem of unknownNames(options, namesOf(call)))
    report("option", `has invalid options of \`${call}\`: ${problem}`, "Correct or remove them.");
}

export function reportCount(options: object, option: string, report: Report): void {
  const count = (options as Readonly<Record<string, number | undefined>>)[option];
  if (count === undefined || (Number.isInteger(count) && count > 0)) return;
  report("option", `has \`${option}: ${formatValue(count)}\``, "Pass an integer of at least 1.");
}

/** Checks the argument of `many()`. */
export function checkMany(emits: unknown, report: Report): void {
  for (const { events } of [emits].flat() as { readonly events?: readonly EventClass[] }[]) {
    if (events?.length === 0)
      report("fanOut", "emits many() of nothing", "Name the event classes of its elements: `many(Chapter)`.");
    for (const element of events ?? []) {
      if (!isEventClass(element) || roleOf(element) !== "stop") continue;
      const type = eventTypeOf(element);
      report("fanOut", `emits many(${type}), which ends the run`, `List ${type} beside many(…), not in it.`);
    }
  }
}

/** Checks which steps error handlers cover: existing ones, no other handlers, and each step at most once. */
export function checkHandlers(steps: readonly StepDefinition[]): Finding[] {
  const kinds = new Map(steps.map(({ name, trigger }) => [name, trigger.kind]));
  const owners = new Map<string | null, string>();
  const findings: Finding[] = [];
  for (const { name, trigger } of steps) {
    if (trigger.kind !== "failure") continue;
    // null: every step that no other handler covers.
    for (const target of new Set(trigger.steps ?? [null])) {
      const owner = owners.get(target);
      const fault =
        owner === undefined
          ? faultOf(target, name, kinds)
          : ([
              `${target === null ? "every step" : `step "${target}"`}, as "${owner}" does`,
              "Name in `steps` what each of them covers.",
            ] as const);
      if (fault === null) owners.set(target, name);
      else
        findings.push({
          check: "catchError",
          step: name,
          message: `Error handler "${name}" covers ${fault[0]}.`,
          hint: fault[1],
        });
    }
  }
  return findings;
}

type Fault = readonly [what: string, hint: string];

function faultOf(target: string | null, handler: string, kinds: ReadonlyMap<string, string>): Fault | null {
  if (target === null) return null;
  const kind = kinds.get(target);
  if (kind === undefined)
    return [
      `${formatValue(target)}, which is not a step`,
      suggest(target, kinds.keys()).trim() || `There are ${quoteNames([...kinds.keys()])}.`,
    ];
  if (kind !== "failure") return null;
  return [
    target === handler ? "itself" : `the error handler "${target}"`,
    "What a handler throws fails the run: leave it out of `steps`.",
  ];
}

/** Quotes each name once. */
export function quoteNames(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `"${name}"`).join(", ");
}
