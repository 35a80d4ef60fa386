type Present<Values> = { [Key in keyof Values]: Exclude<Values[Key], undefined> };

/** The values that are there. */
export function present<Values extends object>(values: Values): Partial<Present<Values>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Present<Values>
  >;
}

/** JSON, as a store keeps it: whoever reads it now sees what a later process reads. Errors become plain, too: they have a `toJSON`. */
export function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
