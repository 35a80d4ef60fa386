/**
 * What a caller may do, by workflow.
 *
 * A workflow of which a caller has no right does not exist for it: its runs are unknown, and lists leave them out.
 *
 * @module
 */
import { HttpError } from "../http/http-error.js";

/**
 * | right     | allows                                                                          |
 * | --------- | ------------------------------------------------------------------------------- |
 * | `read`    | lists, runs with their events and history, sessions, code                       |
 * | `start`   | starting a run, and seeing its result in the answer                             |
 * | `answer`  | answers to prompts, and events from outside                                     |
 * | `operate` | cancel, delete, resume and retry of one run or many; schedules; queues; `POST /tick`; `GET /audit` |
 * | `fork`    | a new run from an earlier tick of a run                                         |
 */
export const rights = ["read", "start", "answer", "operate", "fork"] as const;
export type Right = (typeof rights)[number];

/** Rights for all workflows, or by the name of a workflow, where `"*"` means those that are not named. */
export type Rights = readonly Right[] | { readonly [workflow: string]: readonly Right[] };

/** A caller with rights. */
export interface Limited {
  /** @default all rights */
  readonly may?: Rights;
}

/** What a request needs; `any`: one right, whichever it is. */
export type NeededRight = Right | "any";

/** The rights for one workflow. */
export function rightsFor({ may = rights }: Limited, workflow: string): readonly Right[] {
  if (isList(may)) return may;
  return (Object.hasOwn(may, workflow) ? may[workflow] : may["*"]) ?? [];
}

/** Returns whether the rights are the same for all workflows. */
export function isUniform({ may = rights }: Limited): boolean {
  return isList(may);
}

/** The rights that the caller has for at least one workflow. */
export function rightsForSome({ may = rights }: Limited): readonly Right[] {
  return isList(may) ? may : rights.filter((right) => Object.values(may).some((list) => list.includes(right)));
}

export function mayDo(identity: Limited, right: NeededRight, workflow: string): boolean {
  return has(rightsFor(identity, workflow), right);
}

interface Wanted {
  readonly right: NeededRight;
  readonly workflow: string;
  /** Makes the error for a workflow of which the caller has no right. @default it is forbidden */
  readonly unknown?: () => Error;
}

/** @throws {HttpError} `FORBIDDEN`, or `unknown()` */
export function assertMay(identity: Limited, { right, workflow, unknown }: Wanted): void {
  const given = rightsFor(identity, workflow);
  if (has(given, right)) return;
  if (unknown !== undefined && given.length === 0) throw unknown();
  throw forbidden(right, `the workflow ${JSON.stringify(workflow)}`);
}

/** @throws {HttpError} `FORBIDDEN` where the caller has the right for no workflow. */
export function assertMaySome(identity: Limited, right: NeededRight): void {
  if (!has(rightsForSome(identity), right)) throw forbidden(right, "a workflow");
}

/** For what belongs to no single workflow. @throws {HttpError} `FORBIDDEN` where one is left out. */
export function assertMayEvery(identity: Limited, right: NeededRight): void {
  if (!mayEvery(identity, right)) throw forbidden(right, "every workflow");
}

export function mayEvery({ may = rights }: Limited, right: NeededRight): boolean {
  const lists = isList(may) ? [may] : [may["*"] ?? [], ...Object.values(may)];
  return lists.every((list) => has(list, right));
}

/**
 * The workflows of a list that the caller may see.
 *
 * @param names Those that it asks for; `undefined`: all.
 * @returns `undefined` where no list is left out.
 */
export function readableOf(
  identity: Limited,
  names: readonly string[] | undefined,
  known: readonly string[],
): string[] | undefined {
  return allowedOf(identity, "read", { names, known });
}

interface Listed {
  /** Those that the caller asks for; `undefined`: all. */
  readonly names: readonly string[] | undefined;
  readonly known: readonly string[];
}

/** The workflows of a list for which the caller has the right. `undefined`: no list is left out. */
export function allowedOf(identity: Limited, right: Right, { names, known }: Listed): string[] | undefined {
  if (isUniform(identity)) return names && [...names];
  return (names ?? known).filter((name) => rightsFor(identity, name).includes(right));
}

/** What is wrong with rights that `auth` returns; `null` for none. */
export function rightsProblem(may: unknown): string | null {
  if (may === undefined) return null;
  if (typeof may !== "object" || may === null) return "neither a list of rights nor lists by workflow";
  const wrong = (isList(may) ? [may] : Object.values(may)).flatMap((list: unknown) =>
    Array.isArray(list) ? list.filter((right) => !rights.includes(right)) : [list],
  );
  if (wrong.length === 0) return null;
  return `${wrong.map((right) => JSON.stringify(right) ?? String(right)).join(", ")}, where the rights are ${rights.join(", ")}`;
}

function has(given: readonly Right[], right: NeededRight): boolean {
  return right === "any" ? given.length > 0 : given.includes(right);
}

function isList(may: object): may is readonly Right[] {
  return Array.isArray(may);
}

function forbidden(right: NeededRight, of: string): HttpError {
  const wanted = right === "any" ? "one of the rights" : `the right \`${right}\``;
  return new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: `This needs ${wanted} for ${of}, which the caller does not have.`,
    hint: "Use other credentials, or let `auth` return that right in `may`.",
  });
}
