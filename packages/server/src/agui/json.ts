/** Values of runs as JSON, and what changes between two of them as a patch (RFC 6902). */
import type { JsonPatchOperation } from "@ag-ui/core";
import { cleanJson } from "../http/clean-text.js";
import { isObject } from "../http/guard-json.js";

/** A copy as plain JSON, without the stack traces of errors. */
export function plain(value: unknown): unknown {
  const text = cleanJson(value);
  return text === undefined ? null : JSON.parse(text);
}

/** Lists are compared place by place. */
export function patchesOf(before: unknown, after: unknown, path = ""): JsonPatchOperation[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listPatches(before, after, path);
  if (!isObject(before) || !isObject(after)) return [{ op: "replace", path, value: after }];
  const at = (name: string): string => `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return [
    ...removed.map((name): JsonPatchOperation => ({ op: "remove", path: at(name) })),
    ...Object.entries(after).flatMap(([name, value]): JsonPatchOperation[] =>
      Object.hasOwn(before, name) ? patchesOf(before[name], value, at(name)) : [{ op: "add", path: at(name), value }],
    ),
  ];
}

function listPatches(before: readonly unknown[], after: readonly unknown[], path: string): JsonPatchOperation[] {
  const both = Math.min(before.length, after.length);
  const inBoth = after.slice(0, both).flatMap((value, index) => patchesOf(before[index], value, `${path}/${index}`));
  const added = after.slice(both).map((value): JsonPatchOperation => ({ op: "add", path: `${path}/-`, value }));
  const removed = before.slice(both).map((): JsonPatchOperation => ({ op: "remove", path: `${path}/${both}` }));
  return [...inBoth, ...removed, ...added];
}
