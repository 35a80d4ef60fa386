import type { ReactNode } from "react";
import { Empty } from "../ui/states.js";

export function ComparePage({ a, b }: { readonly a: string; readonly b: string }): ReactNode {
  return (
    <div className="page">
      <div className="head">
        <h1>
          {a} {b}
        </h1>
      </div>
      <div className="panel">
        <Empty>Being built.</Empty>
      </div>
    </div>
  );
}
