/** Lists of a snapshot. Empty ones are left out: a small run has a small snapshot. */
export function list<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { readonly [Key in Name]?: readonly Item[] } {
  return items.length === 0 ? {} : ({ [name]: items } as never);
}

/** What an encoder makes of each of them. */
export function each<Name extends string, Given, Item>(
  name: Name,
  given: Iterable<Given> | null | undefined,
  encode: (one: Given) => Item,
): { readonly [Key in Name]?: readonly Item[] } {
  return list(name, Array.from(given ?? [], encode));
}

/** Reads every item of a list that may be left out. @param read Gets the path of the item, for errors. */
export function readEach<Item, Value>(
  items: readonly Item[] | undefined,
  path: string,
  read: (item: Item, path: string) => Value,
): Value[] {
  return (items ?? []).map((item, index) => read(item, `${path}.${index}`));
}
