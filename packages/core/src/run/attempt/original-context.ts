/** Contexts that stand for the context of a step, such as those of executors, by what was made of them. */
const originals = new WeakMap<object, object>();

/** Notes that functions which need the context of a step itself may take this one for it. */
export function noteOriginal(context: object, original: object): void {
  originals.set(context, original);
}

export function originalOf(context: object): object {
  const original = originals.get(context);
  return original === undefined ? context : originalOf(original);
}
