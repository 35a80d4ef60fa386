import type { ReactNode } from "react";
import { Empty } from "../ui/states.js";

export function SessionsPage(): ReactNode {
  return (
    <div className="page">
      <div className="head">
        <h1>Sessions</h1>
      </div>
      <div className="panel">
        <Empty>Being built.</Empty>
      </div>
    </div>
  );
}
