/**
 * What a stored run needs to continue with the present code.
 *
 * @module
 */
import { assertShareable } from "../compile/child.js";
import { migrateState } from "../compile/state-version.js";
import type { Tick } from "../engine/tick.js";
import { sameValue } from "../event/equal.js";
import { assertFits } from "../snapshot/fit.js";
import { type DefinitionGraph, type HashedDefinition, nodeAt } from "./definition-graph.js";
import type { Member, RunTree } from "./run-tree.js";

/**
 * Ticks that record for every run of the tree that its code has changed; `null` if it has not.
 *
 * @throws {WorkflowError} Errors of `Context.fromDict` for everything that the code lacks.
 */
export function upgradeTicksOf(tree: RunTree, code: HashedDefinition): Map<string, Tick[]> | null {
  const isOther = tree.code.hash !== code.hash;
  // Under the same code, too: what is stored may be damaged, or made by somebody else.
  for (const { state, compiled } of tree.members.values())
    assertFits(compiled, state, state === tree.root.state ? "snapshot" : `snapshot.children.${state.runId}`);
  const upgradeTicks = new Map([...tree.members].map(([runId, member]) => [runId, changes(member, code.graph)]));
  // A schema can change without a trace in the compared code.
  return isOther || [...upgradeTicks.values()].some((ticks) => ticks.length > 0) ? upgradeTicks : null;
}

function changes(member: Member, graph: DefinitionGraph): Tick[] {
  const ticks: Tick[] = [];
  const { state, compiled, stateVersion, sharesWith, path } = member;
  if (sharesWith !== null)
    assertShareable({ parent: sharesWith, child: compiled, name: path.at(-1) as string }, "SNAPSHOT_MISMATCH");
  // A run that has not begun has no state yet; a shared state is migrated with its owner.
  const isAsItWas = state.ticks === 0 || sharesWith !== null;
  const store = isAsItWas ? state.store : migrateState(compiled, state.store, stateVersion);
  const { definition } = nodeAt(graph, member.path) ?? compiled;
  if (!sameValue(definition, member.routing.definition))
    ticks.push({ type: "definition.changed", atMs: state.atMs, definition });
  if (!sameValue(store, state.store))
    ticks.push({
      type: "state.edited",
      atMs: state.atMs,
      item: null,
      attempt: 0,
      call: null,
      change: { whole: true, next: store },
      value: null,
    });
  return ticks;
}
