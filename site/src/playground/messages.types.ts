/** What the page and the worker that runs a program say to each other. */

export interface StartMessage {
  readonly type: "start";
  /** The compiled program, as the address of a module. */
  readonly program: string;
  /** The address of the module `millrace` that the program imports. */
  readonly millrace: string;
}

export interface PingMessage {
  readonly type: "ping";
}

export type ToWorker = StartMessage | PingMessage;

/** A line of the tree of steps. */
export interface Node {
  readonly id: string;
  readonly parent: string | null;
  readonly title: string;
  readonly status: "running" | "waiting" | "completed" | "failed" | "stopped";
  readonly detail: string;
}

export interface Failure {
  readonly name: string;
  readonly message: string;
  /** Of a `WorkflowError`. */
  readonly code: string | null;
  readonly hint: string | null;
}

export type FromWorker =
  | { readonly type: "printed"; readonly level: "log" | "warn" | "error"; readonly text: string }
  | { readonly type: "node"; readonly node: Node }
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "finished" }
  | { readonly type: "pong" };
