/** What the core steps of a pipeline are called. */
import type { PipelineTree } from "./pipeline-tree.js";

/** What the core steps of a node are called besides its name. */
const ASK = ": ask";
export const suffixes: readonly string[] = ["", ASK, ": again", ": gather"];

/** The name of the first core step of each node, by the id of the node. */
export type CoreNames = ReadonlyMap<string, string>;

/** Names of core steps, by the id of the node: the names of the user's steps, made unique. */
export function coreNames(tree: PipelineTree): Map<string, string> {
  const taken = new Set(["begin", "converse", "finish", "cancel", "caught"]);
  const names = new Map<string, string>();
  for (const { id, name } of tree.all) {
    let free = name;
    for (let mark = ` (${id})`; suffixes.some((suffix) => taken.has(`${free}${suffix}`)); mark += "'")
      free = `${name}${mark}`;
    for (const suffix of suffixes) taken.add(`${free}${suffix}`);
    names.set(id, free);
  }
  return names;
}

/** The ids of nodes, by the names of all of their core steps. */
export function nodeIdsOf(names: CoreNames): ReadonlyMap<string, string> {
  return new Map([...names].flatMap(([id, name]) => suffixes.map((suffix) => [`${name}${suffix}`, id] as const)));
}

/** The name of the core step that waits for what people say of this node. */
export function askStepOf(nodeIds: ReadonlyMap<string, string>, node: string): string {
  const [name] = [...nodeIds].find(([, id]) => id === node) ?? [];
  return `${name}${ASK}`;
}
