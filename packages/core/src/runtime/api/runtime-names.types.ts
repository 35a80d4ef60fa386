/** What the calls of a runtime name things by. */
import type { Workflow } from "../../authoring/workflow.types.js";

// any: a workflow with any state.
export type Workflows = { readonly [name: string]: Workflow<any> };

export interface TenantOptions {
  /** @default "" */
  readonly tenant?: string;
}
