/**
 * Checks collects and joins: whether there is a fan-out in which they gather or pair.
 *
 * @module
 */
import type { CollectTrigger, Definition, Finding, JoinTrigger, StepDefinition } from "../engine/definition.js";
import type { FanOutChecksFeature, Need } from "../engine/optional-modules.js";
import { acceptedTypes, createRouting } from "../engine/routing.js";
import { suggest } from "../value/option-rules.js";
import { addFanOuts, arisesIn, type Flow, flowOf, follow, inside, RUN, within } from "./levels.js";
import { quoteNames } from "./validate.js";

export const fanOutChecks: FanOutChecksFeature = { needsOf, complete: addFanOuts, check: checkFanOuts };

function needsOf(trigger: StepDefinition["trigger"]): readonly Need[] {
  if (trigger.kind === "join")
    return trigger.slots.map(({ name, accepts }) => ({ check: "join", verb: `joins as "${name}"`, types: accepts }));
  if (trigger.kind !== "collect") return [];
  const inside = "Only what a step emits can be in a batch: a";
  return [{ check: "collect", verb: "collects", types: trigger.accepts, inside }];
}

export function checkFanOuts(definition: Definition, isChecked: (name: string) => boolean): Finding[] {
  const { steps } = definition;
  if (!steps.some(({ trigger }) => trigger.kind === "collect" || trigger.kind === "join")) return [];
  const findings = findAll(flowOf(definition));
  if (findings.length > 0) return ownFaults(definition, findings);
  return steps.flatMap((step) => (isChecked(step.name) ? checkOutside(definition, step) : []));
}

/** Drops findings that follow from another fault: a finding counts when it remains with all other faulty steps muted. */
function ownFaults(definition: Definition, findings: Finding[]): Finding[] {
  if (findings.length === 1) return findings;
  const faulty = new Set(findings.map(({ step }) => step as string));
  const own = findings.filter(({ step, check }) => {
    const muted = new Set([...faulty].filter((name) => name !== step));
    return findAll(follow(definition, muted)).some((found) => found.step === step && found.check === check);
  });
  return own.length > 0 ? own : findings;
}

function findAll(flow: Flow): Finding[] {
  return [
    ...flow.steps.flatMap(({ name, trigger }) => {
      const fault = faultOf(flow, trigger);
      if (fault === null) return [];
      const check = trigger.kind === "collect" && trigger.of !== null ? "of" : trigger.kind;
      return [{ check, step: name, message: `Step "${name}" ${fault.what}.`, hint: fault.hint }];
    }),
    ...flow.openers.flatMap((opener) => checkSettling(flow, opener)),
  ];
}

interface Fault {
  readonly what: string;
  readonly hint: string;
}

function faultOf(flow: Flow, trigger: StepDefinition["trigger"]): Fault | null {
  if (trigger.kind === "join") return trigger.by === null ? joinFault(flow, trigger) : null;
  if (trigger.kind !== "collect") return null;
  return trigger.of === null ? collectFault(flow, trigger) : ofFault(flow, trigger, trigger.of);
}

// ---- collect

function collectFault(flow: Flow, { accepts }: CollectTrigger): Fault | null {
  const what = accepts.join(" and ");
  const places = placesOf(flow, accepts);
  if (places.length === 0) return null; // nothing emits the events: already reported
  const inner = places.filter((place) => place !== RUN);
  if (inner.length === 0) {
    const none = flow.openers.length === 0 ? "No step fans out. " : "";
    return {
      what: `collects ${what}, which arises outside of every fan-out`,
      hint: `${none}${origin(flow, accepts)}${flow.openers.length === 0 ? earlier(flow, accepts) : ""}`,
    };
  }
  if (inner.length < places.length)
    return {
      what: `collects ${what}, which arises ${where(flow, accepts, inner)} and also outside of every fan-out`,
      hint: `${origin(flow, accepts)} Or say that only one fan-out is meant: \`{ of: "${inner[0]}" }\`.`,
    };
  return nestedFault(flow, accepts, inner) ?? apartFault(flow, accepts, inner);
}

/** Returns a problem if a batch in a fan-out inside another one could be mistaken for a part of the outer batch. */
function nestedFault(flow: Flow, accepts: readonly string[], places: readonly string[]): Fault | null {
  const what = accepts.join(" and ");
  for (const outer of places) {
    const deeper = inside(flow, outer);
    const nested = places.find((place) => deeper.has(place));
    if (nested === outer)
      return {
        what: `collects ${what}, which arises in the fan-out of "${outer}", which can be opened inside itself`,
        hint: `Name the fan-out around it, to gather everything once, or "${outer}", to gather each one by itself: \`collect(${what}, { of: "…" })\`.`,
      };
    if (nested !== undefined)
      return {
        what: `collects ${what}, which arises in the fan-out of "${outer}" and in that of "${nested}" inside it`,
        hint: `Name the one that is meant: \`collect(${what}, { of: "${outer}" })\` gathers both in one batch.`,
      };
  }
  return null;
}

/**
 * Returns a problem if separate fan-outs have no common type: each makes its own batch, so no batch would ever contain what
 * the list promises.
 */
function apartFault(flow: Flow, accepts: readonly string[], places: readonly string[]): Fault | null {
  if (places.length === 1) return null;
  if (accepts.some((type) => places.every((place) => arisesIn(flow, place, [type])))) return null;
  const each = accepts.map((type) => `${type} ${where(flow, [type], places)}`);
  return {
    what: `collects ${accepts.join(" and ")}, which never arise in one fan-out: ${each.join(", ")}`,
    hint: "Collect each in its own step, and join the results.",
  };
}

function ofFault(flow: Flow, { accepts }: CollectTrigger, of: string): Fault | null {
  if (!flow.byName.has(of))
    return {
      what: `collects the fan-out of "${of}", and there is no such step`,
      hint: `Fan-outs are opened by ${quoteNames(flow.openers) || "no step"}.${suggest(of, flow.openers)}`,
    };
  if (!flow.openers.includes(of))
    return {
      what: `collects the fan-out of "${of}", which does not fan out`,
      hint: `Declare it there: \`emits: many(…)\`; or name one of ${quoteNames(flow.openers) || "no step"}.`,
    };
  const places = placesOf(flow, accepts);
  const around = within(flow, of);
  if (places.length === 0 || places.some((place) => around.has(place))) return null;
  const what = accepts.join(" and ");
  return {
    what: `collects ${what} in the fan-out of "${of}", and none arises in it`,
    hint: `${what} arises ${where(flow, accepts, places)}.`,
  };
}

/** A batch cannot both contain a failed element and fail the run because of it. */
function checkSettling(flow: Flow, opener: string): Finding[] {
  const collects = flow.steps.filter(({ name }) => flow.owned.get(opener)?.has(name));
  const settles = ({ trigger }: StepDefinition): boolean => trigger.kind === "collect" && trigger.settle;
  const settling = collects.find(settles);
  const other = collects.find((step) => !settles(step));
  if (!settling || !other) return [];
  return [
    {
      check: "settle",
      step: settling.name,
      message: `Step "${settling.name}" settles the fan-out of "${opener}", and step "${other.name}" collects it without \`settle\`.`,
      hint: "Set `settle: true` on both or on neither: an element that fails is in the batch, or fails the run.",
    },
  ];
}

/** Finds events of a collect step with `of` that also arise outside of that fan-out, where no step accepts them. */
function checkOutside(definition: Definition, { name, trigger }: StepDefinition): Finding[] {
  if (trigger.kind !== "collect" || trigger.of === null) return [];
  const flow = flowOf(definition);
  const { of } = trigger;
  const outside = within(flow, RUN, (place) => place === of);
  const lost = trigger.accepts.find((type) =>
    [...outside].some((place) => arisesIn(flow, place, [type]) && !isTaken(definition, { type, place })),
  );
  if (lost === undefined) return [];
  const places = placesOf(flow, [lost]).filter((place) => outside.has(place));
  return [
    {
      check: "uncollected",
      step: name,
      event: lost,
      message: `Step "${name}" collects ${lost} in the fan-out of "${of}", and ${lost} also arises ${where(flow, [lost], places)}, where no step takes it.`,
      hint: `${origin(flow, [lost], places[0])} Take it there, or allow it with \`skipChecks: ["uncollected"]\`.`,
    },
  ];
}

function isTaken(definition: Definition, { type, place }: { readonly type: string; readonly place: string }): boolean {
  const flow = flowOf(definition);
  const route = createRouting(definition).routes.get(type);
  if (!route) return false;
  if (route.steps.length + route.joins.length + route.waiting.length > 0) return true;
  return route.collects.some(({ name }) =>
    flow.openers.some((opener) => flow.owned.get(opener)?.has(name) && within(flow, opener).has(place)),
  );
}

// ---- join

function joinFault(flow: Flow, { slots }: JoinTrigger): Fault | null {
  const found = slots.map(({ name, accepts }) => ({ name, accepts, places: placesOf(flow, accepts) }));
  const [first, ...rest] = found;
  if (!first || found.some(({ places }) => places.length === 0)) return null;
  const other = rest.find(({ places }) => places.join() !== first.places.join());
  if (!other) return null;
  const level = ({ name, accepts, places }: typeof first): string => `"${name}" ${where(flow, accepts, places)}`;
  return {
    what: `joins events of different levels: ${level(first)}, ${level(other)}`,
    hint: 'Collect the inner ones first, or pair by a field: `join({ … }, { by: "…" })`.',
  };
}

/** The steps before the one that {@link origin} names: where a forgotten `many()` may be, too. */
function earlier({ steps }: Flow, accepts: readonly string[]): string {
  const known = new Set<string>();
  const found: string[] = [];
  for (let types = accepts; types.length > 0; ) {
    const sources = steps.filter(({ name, emits }) => !known.has(name) && emits.some((type) => types.includes(type)));
    for (const { name, emits } of sources) {
      known.add(name);
      found.push(` Or does "${name}"? Then \`emits: many(${emits.find((type) => types.includes(type))})\`.`);
    }
    types = sources.flatMap(acceptedTypes);
  }
  return found.slice(1, 4).join("");
}

// ---- words

/** Places in the order of the steps. */
function placesOf(flow: Flow, types: readonly string[]): string[] {
  return [...flow.arising.keys()].filter((place) => arisesIn(flow, place, types));
}

function where(flow: Flow, types: readonly string[], places: readonly string[]): string {
  const names = places.filter((place) => arisesIn(flow, place, types));
  return names
    .map((place) => (place === RUN ? "outside of every fan-out" : `in the fan-out of "${place}"`))
    .join(" and ");
}

/** Explains why an event is there: mostly by a handler for all steps, an answer from outside, or a forgotten `many()`. */
function origin(flow: Flow, types: readonly string[], place: string = RUN): string {
  const type = types.find((one) => arisesIn(flow, place, [one])) as string;
  const from = flow.arising.get(place)?.get(type) as string;
  const step = flow.byName.get(from);
  if (!step) return `${type} comes from ${from}: wait for it with \`ctx.waitForEvent\` in the step of the element.`;
  if (step.trigger.kind === "failure" && step.trigger.steps === null)
    return `It comes from "${from}", which handles errors of steps outside too: name its \`steps\`.`;
  if (step.trigger.kind === "join" && step.trigger.by !== null)
    return `It comes from "${from}", which pairs over the whole run.`;
  return `It comes from "${from}": does that step fan out? Then \`emits: many(${type})\`.`;
}
