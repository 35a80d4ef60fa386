/** The methods that change a list. Each makes one change, instead of one for every item that moves. */

/** What hands out the list and records its changes. */
interface ListView {
  wrap(value: unknown): unknown;
  /** Returns the removed items. */
  splice(
    list: unknown[],
    change: { readonly at: number; readonly remove: number; readonly items: readonly unknown[] },
  ): unknown[];
}

interface ListOf {
  readonly view: ListView;
  readonly list: unknown[];
}

type ListMethod = (of: ListOf, args: readonly unknown[]) => unknown;

export const listMethods: Readonly<Record<string, ListMethod>> = {
  push({ view, list }, items) {
    view.splice(list, { at: list.length, remove: 0, items });
    return list.length;
  },
  pop: ({ view, list }) => view.splice(list, { at: Math.max(0, list.length - 1), remove: 1, items: [] })[0],
  shift: ({ view, list }) => view.splice(list, { at: 0, remove: 1, items: [] })[0],
  unshift({ view, list }, items) {
    view.splice(list, { at: 0, remove: 0, items });
    return list.length;
  },
  splice({ view, list }, args) {
    const [start, count, ...items] = args;
    const from = Math.trunc(Number(start)) || 0;
    const at = from < 0 ? Math.max(0, list.length + from) : Math.min(from, list.length);
    const rest = list.length - at;
    const asked = args.length === 1 ? rest : Math.trunc(Number(count)) || 0;
    const remove = args.length === 0 ? 0 : Math.min(Math.max(0, asked), rest);
    return view.splice(list, { at, remove, items });
  },
  sort: (of, [compare]) => rearranged(of, (items) => items.sort(compare as (left: unknown, right: unknown) => number)),
  reverse: (of) => rearranged(of, (items) => items.reverse()),
  fill: (of, args) => rearranged(of, (items) => items.fill(...(args as [unknown]))),
  copyWithin: (of, args) => rearranged(of, (items) => items.copyWithin(...(args as [number, number]))),
};

function rearranged({ view, list }: ListOf, change: (items: unknown[]) => void): unknown {
  const before = list.map((item) => view.wrap(item));
  const items = [...before];
  change(items);
  if (items.some((item, index) => !Object.is(item, before[index])))
    view.splice(list, { at: 0, remove: list.length, items });
  return view.wrap(list);
}
