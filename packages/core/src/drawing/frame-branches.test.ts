import { describe, expect, it } from "vitest";
import type { GraphBranch, GraphGroup } from "./describe.js";
import { frameBranches } from "./pipeline-outline.js";

function group(id: string, nodes: string[], rest: Partial<GraphGroup> = {}): GraphGroup {
  return { id, label: id, kind: "group", parent: null, nodes, enteredBy: null, workflow: null, branches: [], ...rest };
}

function branch(role: string, nodes: string[], rest: Partial<GraphBranch> = {}): GraphBranch {
  return { role, name: null, nodes, groups: [], ...rest };
}

const framed = (groups: GraphGroup[]): object[] =>
  frameBranches(groups).map(({ id, label, parent, nodes }) => ({ id, label, parent, nodes }));

describe("frameBranches", () => {
  it("makes a group of each branch that has no name, with its nodes and the groups inside", () => {
    const branches = [branch("then", ["b", "c"]), branch("else", ["d"], { groups: ["0.3"] })];

    expect(framed([group("0", ["a", "b", "c", "d"], { branches }), group("0.3", ["e"], { parent: "0" })])).toEqual([
      { id: "0", label: "0", parent: null, nodes: ["a"] },
      { id: "0:0", label: "then", parent: "0", nodes: ["b", "c"] },
      { id: "0:1", label: "else", parent: "0", nodes: ["d"] },
      { id: "0.3", label: "0.3", parent: "0:1", nodes: ["e"] },
    ]);
  });

  it("leaves one that is alone, and those with names, where they are", () => {
    const alone = group("0", ["a"], { branches: [branch("then", ["a"])] });
    const named = group("1", ["b", "c"], {
      branches: [branch("choice", ["b"], { name: "b" }), branch("choice", ["c"], { name: "c" })],
    });

    expect(framed([alone, named])).toEqual([
      { id: "0", label: "0", parent: null, nodes: ["a"] },
      { id: "1", label: "1", parent: null, nodes: ["b", "c"] },
    ]);
  });
});
