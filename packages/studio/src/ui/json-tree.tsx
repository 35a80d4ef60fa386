import { type ReactNode, useState } from "react";
import type { Json } from "../api/json.types.js";
import { short } from "./format.js";
import { Empty } from "./states.js";

/** Levels that are open at first, where they have few entries. */
const OPEN = 3;
const SMALL = 20;
const LONGEST = 2_000;
/** Entries of one list or object. */
const MOST = 200;

/** A value as a tree, to be read. */
export function JsonTree({ value, empty }: { readonly value: Json; readonly empty: string }): ReactNode {
  const isEmpty = typeof value !== "object" || value === null || Object.keys(value).length === 0;
  if (isEmpty) return <Empty>{empty}</Empty>;
  return (
    <div className="tree">
      <Branches value={value} depth={0} />
    </div>
  );
}

interface BranchProps {
  readonly value: object;
  readonly depth: number;
}

function Branches({ value, depth }: BranchProps): ReactNode {
  const entries = Object.entries(value) as [string, Json][];
  return (
    <>
      {entries.slice(0, MOST).map(([name, child]) => (
        <Branch key={name} name={name} value={child} depth={depth} />
      ))}
      {entries.length > MOST && <p className="muted">{entries.length - MOST} more</p>}
    </>
  );
}

function Branch({
  name,
  value,
  depth,
}: {
  readonly name: string;
  readonly value: Json;
  readonly depth: number;
}): ReactNode {
  const key = <bdi className="key">{name}</bdi>;
  if (typeof value !== "object" || value === null) {
    const kind = typeof value === "string" ? "s" : typeof value === "number" ? "n" : "";
    return (
      <div className="leaf">
        {key}
        <bdi className={`v ${kind}`}>{typeof value === "string" ? textOf(value) : short(value)}</bdi>
      </div>
    );
  }
  return <Compound label={key} value={value} depth={depth} />;
}

function Compound({ label, value, depth }: BranchProps & { readonly label: ReactNode }): ReactNode {
  const size = Object.keys(value).length;
  const [isOpen, setOpen] = useState(depth < OPEN && size <= SMALL);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label} <span className="muted">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
      </summary>
      {isOpen && <Branches value={value} depth={depth + 1} />}
    </details>
  );
}

function textOf(text: string): string {
  if (text === "") return '""';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
