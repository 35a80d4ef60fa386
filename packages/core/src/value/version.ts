/** Versions of what is stored: of events and of states. */

import { isError, isRecord } from "./kind.js";

/** Versions count from 1. */
export function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/**
 * Runs a migration of the user, which must return an object. `refuse` makes the error for any other result, and for whatever the
 * migration throws.
 */
export function runMigration(migrate: () => unknown, refuse: (why: string, cause?: unknown) => Error): object {
  let migrated: unknown;
  try {
    migrated = migrate();
  } catch (cause) {
    const why = isError(cause) ? cause.message : String(cause);
    throw refuse(why.replace(/\.$/, ""), cause);
  }
  if (isRecord(migrated)) return migrated;
  if (migrated instanceof Promise) migrated.catch(() => {}); // it is not awaited
  throw refuse("it returned no object");
}
