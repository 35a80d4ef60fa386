/**
 * Finds the methods of a class that are steps, and reads their declarations.
 *
 * A decorator is called in one of three shapes, depending on the tool that compiled the class:
 *
 *     (method, context)          TC39; context.kind === "method"
 *     (prototype, key, descriptor)   `experimentalDecorators`
 *     (element)                  2018 descriptors, as Next's Turbopack calls them without `experimentalDecorators`
 *
 * No shape alone is enough (decorator metadata is missing or not inherited in some tools; another decorator may replace the
 * function), so each decorated method is kept by metadata, by function and by prototype, and looked up in that order.
 * Nothing here reads the name of a class or of a function: minifiers change both, but keep the names of methods.
 *
 * @module
 */

import type {
  AnyStepOptions,
  CatchErrorOptions,
  EmittableClasses,
  Step,
  StepDecorator,
  StepFunction,
} from "../authoring/step.types.js";
import type { Collect, Join, Trigger } from "../authoring/trigger.types.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { type EventClass, isEventClass } from "../event/event.js";
import { isObject } from "../value/kind.js";

/** Arguments of a decorator, or of `step(options, fn)`. */
export type Registration =
  | { readonly kind: "step"; readonly options: AnyStepOptions }
  | { readonly kind: "failure"; readonly options: CatchErrorOptions<EmittableClasses> };

/** A step made of a function. */
export interface FreeStep {
  readonly registration: Registration;
  readonly run: StepFunction;
}

/** Members of `Workflow`, which a step with this name would replace. */
const reservedNames: ReadonlySet<PropertyKey> = new Set(["run", "resume", "retry", "on", "use", "constructor"]);

// Tools that support decorator metadata read this symbol when a class is created, after this package is loaded.
const metadataKey: symbol = (Symbol as { metadata?: symbol }).metadata ?? Symbol.for("Symbol.metadata");
if (!("metadata" in Symbol) && Object.isExtensible(Symbol)) {
  Object.defineProperty(Symbol, "metadata", { value: metadataKey, configurable: true, writable: true });
}

const stepsKey: symbol = Symbol.for("millrace.steps");
type Registrations = Map<PropertyKey, Registration>;

const byMethod = new WeakMap<object, Registration>();
const byPrototype = new WeakMap<object, Registrations>();
const byClass = new WeakMap<object, ReadonlyMap<string, Registration>>();
/**
 * Marks the result of `step(options, fn)`. A global symbol, so that a step of another copy of the package is
 * recognized.
 */
const freeStepKey: unique symbol = Symbol.for("millrace.step") as never;

interface MethodElement {
  readonly kind: string;
  readonly key: PropertyKey;
  readonly placement?: string;
  readonly descriptor: PropertyDescriptor;
  readonly finisher?: (owner: { prototype: object }) => unknown;
}

/** Makes a decorator that records `registration` for its method, in every shape. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes differ; `StepDecorator` is what callers see
export function decorateMethod(registration: Registration): StepDecorator<any, any, any> {
  const decorator = (target: object, keyOrContext?: unknown, descriptor?: PropertyDescriptor): unknown => {
    if (isObject(keyOrContext)) {
      return onMethod(registration, target, keyOrContext as ClassMethodDecoratorContext);
    }
    if (keyOrContext === undefined) return onElement(registration, target as MethodElement);
    return onProperty(registration, { target, key: keyOrContext as PropertyKey, descriptor });
  };
  return decorator as never;
}

function onMethod(registration: Registration, method: object, context: ClassMethodDecoratorContext): undefined {
  checkPlacement(context.name, context.kind === "method" && !context.static && !context.private);
  byMethod.set(method, registration);
  const metadata = context.metadata as Record<symbol, Registrations> | undefined;
  if (metadata) registrationsIn(metadata).set(context.name, registration);
}

function onProperty(
  registration: Registration,
  place: { target: object; key: PropertyKey; descriptor: PropertyDescriptor | undefined },
): void {
  const isMethod = typeof place.target === "object" && typeof place.descriptor?.value === "function";
  checkPlacement(place.key, isMethod);
  registerOn(place.target, place.key, registration);
}

function onElement(registration: Registration, element: MethodElement): MethodElement {
  checkPlacement(element.key, element.kind === "method" && element.placement !== "static");
  byMethod.set(element.descriptor.value, registration);
  const finisher = (owner: { prototype: object }): unknown => {
    registerOn(owner.prototype, element.key, registration);
    return element.finisher?.(owner);
  };
  return { ...element, finisher };
}

function registerOn(prototype: object, key: PropertyKey, registration: Registration): void {
  const registrations: Registrations = byPrototype.get(prototype) ?? new Map();
  byPrototype.set(prototype, registrations.set(key, registration));
}

/** The registrations of this class alone: metadata inherits from the metadata of the base class. */
function registrationsIn(metadata: Record<symbol, Registrations>): Registrations {
  if (!Object.hasOwn(metadata, stepsKey)) Object.defineProperty(metadata, stepsKey, { value: new Map() });
  return metadata[stepsKey] as Registrations;
}

function checkPlacement(key: PropertyKey, isInstanceMethod: boolean): void {
  if (!isInstanceMethod || typeof key !== "string") {
    throw misplaced(
      `"${String(key)}" cannot be a step.`,
      "Decorate a public instance method with a name, or use `step(options, fn)`.",
    );
  }
  if (reservedNames.has(key)) {
    throw misplaced(
      `A step cannot be a method called "${key}": every workflow has one.`,
      "Rename the method and set `name`.",
    );
  }
}

/** Detects `@step` without a call, when the decorator gets the method itself as its options. */
export function refuseUncalled(decorator: string, options: unknown, run?: unknown): void {
  if (isObject(options) && (run === undefined || typeof run === "function")) return;
  throw misplaced(`\`${decorator}\` takes options.`, `Write \`@${decorator}({ … })\`.`);
}

function misplaced(message: string, hint: string): WorkflowError {
  return new WorkflowError({ code: "WORKFLOW_INVALID", message, hint, details: { reason: "placement" } });
}

/** A new function for each step, so that one `run` can be two steps. */
export function makeFreeStep(options: AnyStepOptions, run: StepFunction): Step<never, unknown> {
  const free = (...args: unknown[]): unknown => run(...args);
  Object.defineProperty(free, "options", { value: options, enumerable: true });
  Object.defineProperty(free, freeStepKey, { value: { registration: { kind: "step", options }, run } });
  return free as unknown as Step<never, unknown>;
}

/** The registration of a `step(options, fn)` result; `null` for any other value. */
export function freeStepOf(value: unknown): FreeStep | null {
  return typeof value === "function" ? ((value as { readonly [freeStepKey]?: FreeStep })[freeStepKey] ?? null) : null;
}

/**
 * Decorated methods of a class and its bases by name, those of bases first. The nearest method of a name counts, with
 * its own options; without a decorator it is not a step. Read once per class.
 */
export function methodSteps(owner: object): ReadonlyMap<string, Registration> {
  const known = byClass.get(owner);
  if (known) return known;
  const steps = new Map<string, Registration>();
  for (const { prototype, metadata } of lineOf(owner)) {
    for (const key of Object.getOwnPropertyNames(prototype)) {
      const method: unknown = Object.getOwnPropertyDescriptor(prototype, key)?.value;
      const registration = metadata?.get(key) ?? byPrototype.get(prototype)?.get(key) ?? byMethod.get(method as object);
      if (registration) steps.set(key, registration);
      else steps.delete(key);
    }
  }
  byClass.set(owner, steps);
  return steps;
}

/** The class and its bases, outermost first. */
function lineOf(owner: object): { prototype: object; metadata: Registrations | undefined }[] {
  const line: { prototype: object; metadata: Registrations | undefined }[] = [];
  for (let at: unknown = owner; typeof at === "function" && at.prototype; at = Object.getPrototypeOf(at)) {
    const own = Object.hasOwn(at, metadataKey)
      ? (at as unknown as Record<symbol, Record<symbol, Registrations>>)[metadataKey]
      : undefined;
    line.unshift({
      prototype: at.prototype as object,
      metadata: own && Object.hasOwn(own, stepsKey) ? own[stepsKey] : undefined,
    });
  }
  return line;
}

/** A step as it was declared: as a method, as a field, or with `defineWorkflow`. */
export interface DeclaredStep {
  readonly name: string;
  readonly registration: Registration;
  /** `null` for the method with this key. */
  readonly run: StepFunction | null;
  readonly key: string;
}

export function declareStep(key: string, registration: Registration, run: StepFunction | null): DeclaredStep {
  return { name: registration.options.name ?? key, registration, run, key };
}

/** Lists the decorated methods of a class. */
export function declaredMethods(owner: object): DeclaredStep[] {
  return [...methodSteps(owner)].map(([key, registration]) => declareStep(key, registration, null));
}

/** Lists the steps of an instance: its methods, then its fields. A field replaces a method with the same name. */
export function declaredSteps(instance: object): DeclaredStep[] {
  const steps = new Map(declaredMethods(instance.constructor).map((declared) => [declared.key, declared]));
  for (const [key, value] of Object.entries(instance)) {
    const free = freeStepOf(value);
    if (free) steps.set(key, declareStep(key, free.registration, free.run));
  }
  return [...steps.values()];
}

/** Converts one class, a list, or nothing to a list. */
export function listOf(classes: EventClass | readonly EventClass[] | undefined): readonly EventClass[] {
  return classes === undefined ? [] : [classes].flat();
}

type Emits = EmittableClasses | undefined;

/** Splits `emits` into events that are emitted alone, and those in `many()`. */
export function emissionsOf(emits: Emits): {
  readonly alone: readonly EventClass[];
  readonly elements: readonly EventClass[];
} {
  const entries = listOf(emits as EventClass | undefined);
  return {
    alone: entries.filter((entry) => !isMany(entry)),
    elements: entries.flatMap((entry) => (isMany(entry) ? entry.events : [])),
  };
}

/** Every class in `emits`, in order. */
export function emittedClasses(emits: Emits): readonly EventClass[] {
  return listOf(emits as EventClass | undefined).flatMap((entry) => (isMany(entry) ? entry.events : [entry]));
}

/** Every event class that a step names, in order. Other values are left out. */
export function namedClasses({ registration }: DeclaredStep): EventClass[] {
  const { emits, waits, streams } = registration.options;
  const accepted = registration.kind === "step" ? acceptedClasses(registration.options.on) : [];
  return [...accepted, ...emittedClasses(emits), ...listOf(waits), ...listOf(streams)].filter(isEventClass);
}

/** The event classes in a trigger; for a join, those of all slots. */
export function acceptedClasses(on: Trigger): readonly EventClass[] {
  if (isCollect(on)) return on.events;
  return isJoin(on) ? Object.values(on.slots) : listOf(on as EventClass);
}

export function isCollect(on: Trigger): on is Collect {
  return (on as Partial<Collect> | undefined)?.kind === "collect";
}

export function isJoin(on: Trigger): on is Join {
  return (on as Partial<Join> | undefined)?.kind === "join";
}

export function isMany(entry: unknown): entry is { readonly kind: "many"; readonly events: readonly EventClass[] } {
  return (entry as { kind?: unknown } | undefined)?.kind === "many";
}
