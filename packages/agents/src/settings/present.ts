type Present<Values> = { [Key in keyof Values]: Exclude<Values[Key], undefined> };

/** The values that are there. */
export function present<Values extends object>(values: Values): Partial<Present<Values>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Present<Values>
  >;
}
