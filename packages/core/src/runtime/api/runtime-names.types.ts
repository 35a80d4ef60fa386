/** What the calls of a runtime name things by. */

import type { Workflow } from "../../authoring/workflow.types.js";
import type { DoneBy } from "../../host.js";

// any: a workflow with any state.
export type Workflows = { readonly [name: string]: Workflow<any> };

export interface TenantOptions {
  /** @default "" */
  readonly tenant?: string;
}

export interface CallerOptions {
  /**
   * Who does it, and through which door: texts by the rules of labels. It is stored in the journal, where `history` shows it, and in the
   * audit.
   *
   * @default not known
   */
  readonly by?: DoneBy;
}
