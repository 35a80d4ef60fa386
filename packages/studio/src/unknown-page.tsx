import type { ReactNode } from "react";
import { Page } from "./ui/page.js";
import { Empty } from "./ui/states.js";

export function UnknownPage(): ReactNode {
  return (
    <Page title="Nothing here">
      <div className="panel">
        <Empty>
          The studio has no page of this address.{" "}
          <a className="btn sm" href="#/runs">
            All runs
          </a>
        </Empty>
      </div>
    </Page>
  );
}
