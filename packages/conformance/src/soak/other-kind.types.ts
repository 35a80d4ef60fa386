import type { Workflow } from "millrace";

/** Runs of another kind than orders, which ask people. */
export interface OtherKind {
  readonly workflow: Workflow;
  input(n: number): { readonly [field: string]: unknown };
  /** To every question. */
  readonly answer: object;
  /** What is wrong with a result, and the tokens in it. */
  check(result: unknown, n: number): { readonly problems: readonly string[]; readonly tokens: readonly string[] };
}
