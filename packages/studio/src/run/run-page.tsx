import type { ReactNode } from "react";
import { Empty } from "../ui/states.js";

export function RunPage({ id, tick }: { readonly id: string; readonly tick: number | null }): ReactNode {
  return (
    <div className="page">
      <div className="head">
        <h1>
          {id} {tick}
        </h1>
      </div>
      <div className="panel">
        <Empty>Being built.</Empty>
      </div>
    </div>
  );
}
