/**
 * The code that a run was live with: the routing tables and state versions of its workflow and its children, as plain data.
 *
 * Stored once per deployment, under its hash. If the code differs from the hash of a run, the run gets a tick that records the change.
 *
 * @module
 */

import { compiledChild } from "../compile/child.js";
import type { CompiledWorkflow } from "../compile/compile.js";
import { stateVersionOf } from "../compile/state-version.js";
import type { Definition } from "../engine/definition.js";

export interface DefinitionGraph {
  /** The first one is the workflow of the run. */
  readonly workflows: readonly CodeNode[];
}

export interface HashedDefinition {
  readonly hash: string;
  readonly graph: DefinitionGraph;
}

export interface CodeNode {
  readonly definition: Definition;
  readonly stateVersion: number;
  /** Place of each child in the list. */
  readonly children: { readonly [name: string]: number };
}

export function definitionGraph(compiled: CompiledWorkflow): DefinitionGraph {
  const places = new Map<CompiledWorkflow, number>();
  const workflows: { definition: Definition; stateVersion: number; children: Record<string, number> }[] = [];
  const place = (flow: CompiledWorkflow): number => {
    const known = places.get(flow);
    if (known !== undefined) return known;
    const at = workflows.length;
    places.set(flow, at);
    const children: Record<string, number> = {};
    workflows.push({ definition: flow.definition, stateVersion: stateVersionOf(flow), children });
    for (const name of flow.children.keys()) children[name] = place(compiledChild(flow, name, "It"));
    return at;
  };
  place(compiled);
  return { workflows };
}

/** The workflow at the end of a path of child names; `null` if that code had none. */
export function nodeAt({ workflows }: DefinitionGraph, path: readonly string[]): CodeNode | null {
  let node = workflows[0] ?? null;
  for (const name of path) node = workflows[node?.children[name] ?? -1] ?? null;
  return node;
}
