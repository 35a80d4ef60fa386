/**
 * Event classes at runtime: one root constructor, and one plan for each defined class.
 *
 * Creating an event walks the lists of the plan: no closure, no `Object.entries`, no recursion for primitive fields.
 * `type` and the plan are on the prototype, so an instance owns only its data.
 *
 * @module
 */
import { invalidOption, OfThisCopy, WorkflowError } from "../errors/workflow-error.js";
import { deepFreeze } from "../value/freeze.js";
import { formatValue, hasFields, insideEdit, isForbiddenKey, isObject } from "../value/kind.js";
import type { EventClass, EventRole, WorkflowEvent } from "./event.types.js";
import {
  describeIssues,
  isSchema,
  issuesAt,
  refusePromise,
  type SchemaIssue,
  type SchemaResult,
  type StandardSchema,
} from "./schema.js";

/** Facts of a defined event class. */
export interface EventPlan {
  readonly type: string;
  readonly role: EventRole;
  /**
   * Property of an instance that holds its data: `fields` in an open event, `failure` in an event about a failed step;
   * `null` when the instance itself holds the data.
   */
  readonly holder: "fields" | "failure" | null;
  /** `true` for classes whose events only the engine creates, without checks. */
  readonly engine: boolean;
  /** `true` for the plain classes of the roles: extending them does not define an event. */
  readonly final: boolean;
  readonly keys: readonly string[];
  /** One schema per key. */
  readonly schemas: readonly StandardSchema[];
  /** The check of each schema, stored separately to save a property look-up. */
  readonly checks: readonly Check[];
  /** Schemas of the whole object. */
  readonly wholes: readonly StandardSchema[];
  /** Class whose members are known to be allowed. */
  sound: unknown;
}

type Check = StandardSchema["~standard"];
type Data = Record<string, unknown>;

// Symbol.for, so that events of a second installed copy are recognized as events.
const plan: unique symbol = Symbol.for("millrace.event") as never;

interface Planned {
  readonly [plan]: EventPlan;
}

/** The plan of an event or an event class. */
export function planOf(of: WorkflowEvent | EventClass): EventPlan {
  return ((typeof of === "function" ? of.prototype : of) as Planned)[plan];
}

/** Returns `true` for an event of any class, also of a second installed copy. */
export function isEvent(value: unknown): value is WorkflowEvent {
  return isObject(value) && plan in value;
}

/** Base of all events. */
class Root extends OfThisCopy {
  static readonly version: number = 1;

  static migrate(fields: Data): object {
    return fields;
  }

  constructor(fields?: unknown) {
    super();
    const own = (this as never as Planned)[plan];
    const isSound = own.sound === new.target;
    // biome-ignore lint/correctness/noConstructorReturn: members of the class are put on a copy, to be looked at
    if (!isSound && probe !== null && Object.getPrototypeOf(probe) === new.target.prototype) return probe as never;
    fill(this as never, own, fields);
    if (isSound) return;
    if (!isDefined(new.target as never)) checkMembers(new.target, this as never);
    own.sound = new.target;
  }

  /** A getter, so that `events.filter(Joke.is)` knows its class. */
  static get is(): (value: unknown) => boolean {
    return (value) => value !== undefined && value !== null && Object.getPrototypeOf(value) === this.prototype;
  }

  static extend(this: EventClass, type: string, shape?: object): EventClass {
    return defineEvent({ type, role: planOf(this).role, shape, base: this });
  }

  toJSON(): Data {
    return { ...dataOf(this as never) };
  }
}
const rootEvent: EventClass = Root as never;

/** The copy that `new` returns while the members of its class are checked. */
let probe: Data | null = null;

/**
 * Checks the members of a class at its first event. Events are stored, frozen, and created again without a constructor:
 * a public field would fail because the event is frozen, and a `#private` member would be missing after a restore.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an instance field, public or private.
 */
function checkMembers(eventClass: object, event: Data): void {
  const copy: Data = Object.assign(Object.create(Object.getPrototypeOf(event)), event);
  const outer = probe;
  let isMade = false;
  probe = copy;
  try {
    for (let time = 0; time < 2; time++) {
      Reflect.construct(eventClass as never, [dataOf(event as never)]);
      isMade = true;
    }
  } catch (error) {
    // A private member cannot be added to one object twice. An error at the first time comes from a constructor with
    // other arguments.
    if (isMade && error instanceof TypeError) throw notOfShape(event, "a `#private` member");
  } finally {
    probe = outer;
  }
  const field = Reflect.ownKeys(copy).find(
    (key) => !Object.hasOwn(event, key) || !Object.is(copy[key as never], event[key as never]),
  );
  if (field !== undefined) throw notOfShape(event, `a field of the class, \`${String(field)}\``);
}

function notOfShape(event: Data, what: string): WorkflowError {
  return invalidOption(
    `Event "${event["type"]}" has ${what}, which a restore would lose.`,
    "Declare the field in the shape (`declare` only types it), or make it a getter or a method.",
  );
}

export interface EventDefinition {
  readonly type: string;
  readonly role: EventRole;
  readonly shape?: object | undefined;
  readonly base?: EventClass;
  readonly holder?: EventPlan["holder"];
  readonly engine?: boolean;
  readonly final?: boolean;
}

/** Makes a class to extend, with a new `type` and its own plan. */
export function defineEvent(definition: EventDefinition): EventClass {
  const { type, role, base = rootEvent, holder = null, engine = false, final = false } = definition;
  if (typeof type !== "string" || type === "")
    throw invalidOption(`An event type is ${formatValue(type)}.`, "Name the event with text.");
  const inherited: EventPlan | undefined = planOf(base);
  const { fields, wholes } = readShape(type, definition.shape ?? {});
  const schemas = new Map(inherited?.keys.map((key, index) => [key, inherited.schemas[index] as StandardSchema]));
  for (const [key, schema] of fields) schemas.set(key, schema);
  const own: EventPlan = {
    type,
    role,
    holder,
    engine,
    final,
    keys: [...schemas.keys()],
    schemas: [...schemas.values()],
    checks: [...schemas.values()].map((schema) => schema["~standard"]),
    wholes: [...(inherited?.wholes ?? []), ...wholes],
    sound: null,
  };
  const defined = class extends (base as new (fields?: unknown) => object) {};
  Object.defineProperty(defined, "name", { value: type });
  Object.defineProperty(defined, "type", { value: type });
  Object.defineProperty(defined.prototype, "type", { value: type });
  Object.defineProperty(defined.prototype, plan, { value: own });
  return defined as never;
}

/** Returns `true` for a class that {@link defineEvent} made, `false` for one that extends it. */
export function isDefined(eventClass: EventClass): boolean {
  return Object.hasOwn(eventClass, "prototype") && Object.hasOwn(eventClass.prototype, plan);
}

/** The object that holds the data of an event: the event itself, or its holder. */
export function dataOf(event: WorkflowEvent): Data {
  const { holder } = planOf(event);
  return (holder === null ? event : (event as never as Record<string, unknown>)[holder]) as Data;
}

/** Checks `input` and stores it in a new event. */
export function fill(
  event: Data,
  { type, holder, engine, keys, checks, wholes }: EventPlan,
  input: unknown = {},
): void {
  if (engine) throw invalid(type, [{ message: "only the engine makes this event" }]);
  if (insideEdit.plain !== null) input = insideEdit.plain(input);
  if (!hasFields(input)) throw invalid(type, [{ message: "fields are an object" }]);
  if (holder !== null) {
    event[holder] = deepFreeze(copyFields(type, input));
    Object.freeze(event);
    return;
  }
  let issues: SchemaIssue[] | null = null;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const result = ask(checks[index] as Check, (input as Data)[key], type);
    if (result.issues) {
      issues = [...(issues ?? []), ...issuesAt(result.issues, [key])];
      continue;
    }
    const { value } = result;
    if (value !== undefined) event[key] = typeof value === "object" ? deepFreeze(value) : value;
  }
  for (const whole of wholes) {
    const result = ask(whole["~standard"], input, type);
    if (result.issues) issues = [...(issues ?? []), ...issuesAt(result.issues)];
    else Object.assign(event, deepFreeze(copyFields(type, result.value as object, isReserved)));
  }
  if (issues !== null) throw invalid(type, issues);
  Object.freeze(event);
}

/** Copies fields without undefined ones, because an event does not have such fields. */
export function copyFields(type: string, fields: object, isRefused: (key: string) => boolean = isForbiddenKey): Data {
  const copy: Data = {};
  for (const [key, value] of Object.entries(fields)) {
    if (isRefused(key)) throw invalid(type, [{ message: "this name is reserved", path: [key] }]);
    if (value !== undefined) copy[key] = value;
  }
  return copy;
}

export function isReserved(key: string): boolean {
  return key === "type" || key === "toJSON" || isForbiddenKey(key);
}

function readShape(type: string, shape: object): { fields: [string, StandardSchema][]; wholes: StandardSchema[] } {
  if (isSchema(shape)) return { fields: [], wholes: [shape] };
  const fields = Object.entries(shape).map(([key, schema]): [string, StandardSchema] => {
    if (isReserved(key))
      throw invalidOption(`Event "${type}" has a field "${key}", a reserved name.`, "Rename the field.");
    if (!isSchema(schema))
      throw invalidOption(
        `Field "${key}" of event "${type}" is not a Standard Schema.`,
        "Use a schema such as `z.string()`.",
      );
    return [key, schema];
  });
  return { fields, wholes: [] };
}

/** Makes an `EVENT_INVALID` error that names the event and every path. */
export function invalid(type: string, issues: readonly SchemaIssue[]): WorkflowError {
  const { lines, text } = describeIssues(issues);
  return new WorkflowError({
    code: "EVENT_INVALID",
    message: `Event "${type}" is invalid: ${text}.`,
    hint: `Pass the fields in the shape of "${type}".`,
    details: { event: type, issues: lines },
  });
}

/** Calls a schema, which must answer synchronously. */
export function ask(check: Check, value: unknown, type: string): SchemaResult<unknown> {
  const answer = check.validate(value);
  return "then" in answer ? refusePromise(answer, `A schema of event "${type}"`, { event: type }) : answer;
}
