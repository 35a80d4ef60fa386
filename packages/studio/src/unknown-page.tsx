import type { ReactNode } from "react";
import { Empty } from "./ui/states.js";

export function UnknownPage(): ReactNode {
  return (
    <div className="page">
      <div className="head">
        <h1>Nothing here</h1>
      </div>
      <div className="panel">
        <Empty>
          The studio has no page of this address.{" "}
          <a className="btn sm" href="#/runs">
            All runs
          </a>
        </Empty>
      </div>
    </div>
  );
}
