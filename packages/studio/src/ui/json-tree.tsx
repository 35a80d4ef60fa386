import type { ReactNode } from "react";
import type { Json } from "../api/json.types.js";
import { short } from "./format.js";
import { Empty } from "./states.js";

const DEEPEST = 6;
const LONGEST = 160;

/** A value as a tree, to be read. */
export function JsonTree({ value, empty }: { readonly value: Json; readonly empty: string }): ReactNode {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div className="tree">
      {entries.map(([key, child]) => (
        <Branch key={key} name={key} value={child as Json} depth={0} />
      ))}
    </div>
  );
}

interface BranchProps {
  readonly name: string;
  readonly value: Json;
  readonly depth: number;
}

function Branch({ name, value, depth }: BranchProps): ReactNode {
  const isCompound = typeof value === "object" && value !== null;
  const entries = isCompound ? Object.entries(value) : [];
  return (
    <>
      <div className="k" style={{ paddingLeft: 16 + depth * 16 }}>
        <span className="key">{name}</span>
        {isCompound ? (
          <span className="muted">{Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}</span>
        ) : (
          <span className={`v ${typeof value === "string" ? "s" : typeof value === "number" ? "n" : ""}`}>
            {short(value, LONGEST)}
          </span>
        )}
      </div>
      {depth < DEEPEST &&
        entries.map(([key, child]) => <Branch key={key} name={key} value={child as Json} depth={depth + 1} />)}
    </>
  );
}
