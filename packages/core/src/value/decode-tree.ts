/**
 * Values from the JSON that `encode-tree.ts` writes. The JSON stays as it is: containers on the way to a replaced part are copied.
 *
 * A path leads only to what the JSON itself holds, to no prototype.
 *
 * @module
 */
import { copyOf, type FormTag, type Parts, type Tree } from "./encode-tree.js";
import { isRecord } from "./plain.js";

/** Makes a value of its JSON, whose parts were read before. Throws for a form that it cannot read. */
export type ReadForm = (tag: FormTag, json: unknown) => unknown;

/** @throws {TypeError} for a tree that does not fit the JSON. */
export function decodeTree(json: unknown, tree: Tree, read: ReadForm): unknown {
  return decode(json, tree, { read, copies: new Set() });
}

interface Decoding {
  readonly read: ReadForm;
  /** Containers made here, which may be written into. */
  readonly copies: Set<unknown>;
}

function decode(json: unknown, tree: Tree, decoding: Decoding): unknown {
  if (!Array.isArray(tree)) return decodeParts(json, tree as Parts, decoding);
  const [tag, parts] = tree as readonly [FormTag, Parts?];
  return decoding.read(tag, parts === undefined ? json : decodeParts(json, parts, decoding));
}

function decodeParts(json: unknown, parts: Parts, decoding: Decoding): unknown {
  const root = copyOnce(json, decoding);
  for (const [path, tree] of Object.entries(parts)) {
    const names = namesIn(path);
    const last = names.pop() as string;
    let container = root;
    for (const name of names) {
      const inner = copyOnce(partOf(container, name), decoding);
      container[name] = inner;
      container = inner;
    }
    container[last] = decode(partOf(container, last), tree, decoding);
  }
  return root;
}

/** Only of JSON: a value that was made of an earlier part has no parts. */
function copyOnce(container: unknown, { copies }: Decoding): Record<string, unknown> {
  if (copies.has(container)) return container as Record<string, unknown>;
  if (!Array.isArray(container) && !isRecord(container)) throw new TypeError("No parts");
  const copy = copyOf(container);
  copies.add(copy);
  return copy;
}

/** A part of the JSON: nothing inherited, and not the length of a list, which is not enumerable. */
function partOf(container: object, name: string): unknown {
  if (name !== "__proto__" && Object.prototype.propertyIsEnumerable.call(container, name))
    return container[name as keyof typeof container];
  throw new TypeError(`No "${name}"`);
}

function namesIn(path: string): string[] {
  if (!path.includes("\\")) return path.split(".");
  const names = [""];
  for (const [letter] of path.matchAll(/\\?./gs)) {
    if (letter === ".") names.push("");
    else names[names.length - 1] += letter.slice(-1);
  }
  return names;
}
