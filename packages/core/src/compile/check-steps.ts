/**
 * Checks each step by itself: its options and the events it names. `graph/validate.ts` checks how steps fit together.
 *
 * @module
 */

import type { AnyStepOptions, GraphCheck } from "../authoring/step.types.js";
import type { Report } from "../engine/definition.js";
import { optionalModules } from "../engine/optional-modules.js";
import type { ErrorCode } from "../errors/catalog.js";
import { ofSecondCopy, secondCopyHint, WorkflowError } from "../errors/workflow-error.js";
import { type EventClass, eventTypeOf, isEventClass, isForeignBuiltIn, ownsType, roleOf } from "../event/event.js";
import { type Finding, graphChecks, reportCount, reportUnknown } from "../graph/validate.js";
import type { ResourceFeature, ResourceMap } from "../resource/resource.js";
import { toMs } from "../value/duration.js";
import { formatValue } from "../value/kind.js";
import { suggest } from "../value/option-rules.js";
import { isVersion } from "../value/version.js";
import {
  acceptedClasses,
  type DeclaredStep,
  declaredMethods,
  emittedClasses,
  isCollect,
  isJoin,
  isMany,
  listOf,
  namedClasses,
} from "./registration.js";

/** Roles of events that only the engine creates. */
const engineRoles: ReadonlySet<string> = new Set(["stepFailed", "terminal", "notice"]);

export function checkSteps(steps: readonly DeclaredStep[]): Finding[] {
  return [...steps.flatMap(checkStep), ...checkNames(steps), ...checkTypes(steps)];
}

const sound = new WeakSet<object>();

/**
 * Checks the decorated methods in the constructor of a workflow, where they are known and no field can change them.
 *
 * @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem.
 */
export function checkDecorated(owner: object, workflow: string): void {
  if (sound.has(owner)) return;
  refuse(workflow, checkSteps(declaredMethods(owner)));
  sound.add(owner);
}

const isCode = (check: string): boolean => /^[A-Z]/.test(check);

/** Returns whether the mistake concerns only options, so that the graph can be checked in spite of it. */
export const isOfOptions = ({ check }: Finding): boolean => check === "option" || isCode(check);

/** @throws {WorkflowError} when there are findings: with their code if all have the same one, otherwise `WORKFLOW_INVALID`. */
export function refuse(workflow: string, findings: readonly Finding[]): void {
  const [first] = findings;
  if (!first) return;
  const lines = findings.map(({ message, hint }) => `${message} ${hint}`);
  const isOneCode = isCode(first.check) && findings.every(({ check }) => check === first.check);
  throw new WorkflowError({
    code: isOneCode ? (first.check as ErrorCode) : "WORKFLOW_INVALID",
    message: `Workflow "${workflow}" is invalid: ${lines.length > 1 ? `\n- ${lines.join("\n- ")}` : first.message}`,
    hint: lines.length > 1 ? "Fix each problem in the list; `details.findings` has them as data." : first.hint,
    details: { workflow, findings },
  });
}

function checkStep(declared: DeclaredStep): Finding[] {
  const { name, registration } = declared;
  const findings: Finding[] = [];
  const report: Report = (check, message, hint) =>
    findings.push({ check, step: name, message: `Step ${formatValue(name)} ${message}.`, hint });
  const { options } = registration;
  if (typeof name !== "string" || name === "") report("option", "has no name", "Set `name` to a text.");
  reportUnknown(registration.kind === "step" ? "step" : "catchError", options, report);
  if (registration.kind === "step") checkTrigger(registration.options, report);
  else reportCount(options, "maxRecoveries", report);
  for (const list of ["waits", "streams"] as const) checkList(list, listOf(options[list]), report);
  checkList("emits", emittedClasses(options.emits), report);
  if (listOf(options.emits as EventClass).some(isMany)) {
    if (optionalModules.many === undefined) report("event", `emits many() ${ofSecondCopy}`, secondCopyHint);
    else optionalModules.many(options.emits, report);
  }
  for (const eventClass of new Set(namedClasses(declared))) {
    if (isForeignBuiltIn(eventClass))
      report("event", `names ${eventTypeOf(eventClass)} ${ofSecondCopy}`, secondCopyHint);
    checkOwnType(eventClass, report);
    checkVersion(eventClass, report);
  }
  checkSettings(options as AnyStepOptions, report);
  return findings;
}

function checkTrigger({ on }: AnyStepOptions, report: Report): void {
  const accepted = on === undefined ? [] : acceptedClasses(on);
  if (accepted.length === 0) {
    report(
      "event",
      "has nothing in `on`",
      "Name an event class; `undefined` there usually comes from a circular import.",
    );
  }
  checkList("on", accepted, report);
  if ((isCollect(on) && optionalModules.collect === undefined) || (isJoin(on) && optionalModules.join === undefined))
    report("event", `has a ${on.kind} ${ofSecondCopy} in \`on\``, secondCopyHint);
  if (isCollect(on) || isJoin(on)) optionalModules.triggers?.check(on, report);
}

function checkList(list: string, classes: readonly EventClass[], report: Report): void {
  for (const eventClass of classes) {
    if (!isEventClass(eventClass)) {
      report(
        "event",
        `has in \`${list}\` something that is not an event class`,
        "Name a class made with `event(type, shape)`; `undefined` there usually comes from a circular import.",
      );
      continue;
    }
    const type = eventTypeOf(eventClass);
    const role = roleOf(eventClass);
    if (engineRoles.has(role))
      report(
        "event",
        `has ${type} in \`${list}\`, which only the engine makes`,
        "Use `@catchError` for failures, and the stream for the rest.",
      );
    else if (role === "stop" && list !== "emits")
      report("event", `has ${type} in \`${list}\`, which ends the run`, "Only `emits` may name a stop event.");
  }
}

function checkOwnType(eventClass: EventClass, report: Report): void {
  if (ownsType(eventClass)) return;
  const type = eventTypeOf(eventClass);
  report(
    "type",
    `names a class that extends ${type} and has its type`,
    `Write \`extends ${type}.extend("YourType", { … })\`, or \`event("YourType", { … })\`.`,
  );
}

function checkVersion(eventClass: EventClass, report: Report): void {
  const type = eventTypeOf(eventClass);
  const { version, migrate } = eventClass;
  if (version !== undefined && !isVersion(version))
    report("event", `names ${type}, which has \`static version = ${formatValue(version)}\``, versionHint);
  if (migrate !== undefined && typeof migrate !== "function")
    report(
      "event",
      `names ${type}, whose \`migrate\` is not a function`,
      "Write `static override migrate(fields, from)`.",
    );
}

export const versionHint = "Set an integer of at least 1, one more with each change of what is stored.";

function checkSettings(options: AnyStepOptions, report: Report): void {
  reportCount(options, "workers", report);
  attempt(report, () => options.timeout === undefined || toMs(options.timeout, "timeout"));
  checkNeeds(options.resources, report);
  if (options.retry !== undefined && typeof options.retry?.next !== "function") {
    report("option", "has a `retry` without `next`", "Use `retryPolicy({ … })`, or an object with `next(info)`.");
  }
  for (const { what, hint } of unknownChecks(options.skipChecks)) report("option", what, hint);
}

/** Returns the problems of a `skipChecks`, each to be read after the name of its owner. */
export function unknownChecks(skipped: readonly GraphCheck[] = []): { readonly what: string; readonly hint: string }[] {
  const unknown = [skipped].flat().filter((name) => !graphChecks.includes(name));
  return unknown.map((name) => ({
    what: `skips the check ${formatValue(name)}, which does not exist`,
    hint: `There are ${graphChecks.join(", ")}.${suggest(name, graphChecks)}`,
  }));
}

function checkNeeds(resources: ResourceMap = {}, report: Report): void {
  if (optionalModules.resources !== undefined)
    attempt(report, () => (optionalModules.resources as ResourceFeature).check(resources));
  else if (Object.keys(resources).length > 0) report("option", `needs resources ${ofSecondCopy}`, secondCopyHint);
}

/** Converts an error of `check` to a finding. */
function attempt(report: Report, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!WorkflowError.is(error)) throw error;
    report(error.code, `is not right: ${error.message.replace(/\.$/, "")}`, error.hint);
  }
}

function checkNames(steps: readonly DeclaredStep[]): Finding[] {
  const names = steps.map((step) => step.name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  return [...twice].map((name) => ({
    check: "name",
    step: name,
    message: `There are several steps "${name}".`,
    hint: "Use a different `name` for each.",
  }));
}

function checkTypes(steps: readonly DeclaredStep[]): Finding[] {
  const classes = new Map<string, EventClass>();
  const findings: Finding[] = [];
  for (const step of steps) {
    for (const eventClass of namedClasses(step)) {
      const type = eventTypeOf(eventClass);
      const known = classes.get(type) ?? eventClass;
      classes.set(type, known);
      if (known === eventClass || !ownsType(eventClass)) continue;
      findings.push({
        check: "type",
        step: step.name,
        event: type,
        message: `Step "${step.name}" names a second event class with the type "${type}".`,
        hint: "Change the type of one of them.",
      });
    }
  }
  return findings;
}
