import type { ReactNode } from "react";
import { Empty } from "../ui/states.js";

export function WorkflowPage({ name }: { readonly name: string }): ReactNode {
  return (
    <div className="page">
      <div className="head">
        <h1>{name}</h1>
      </div>
      <div className="panel">
        <Empty>Being built.</Empty>
      </div>
    </div>
  );
}
