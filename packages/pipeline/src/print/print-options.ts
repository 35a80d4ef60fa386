/** Where to print. `process.stdout` has this shape. */
export interface PrintTarget {
  write(text: string): unknown;
  /** `true` turns on colours, and Markdown unless the option says otherwise. */
  readonly isTTY?: boolean;
  /** Width at which rendered Markdown wraps. @default 80 */
  readonly columns?: number;
}

export interface PrintOptions {
  /**
   * Renders texts as Markdown. Needs the package `markdansi`; without it, a terminal shows the plain text.
   *
   * @default true in a terminal, else false
   */
  readonly markdown?: boolean;
  /**
   * Prints text of agents, teams and generators while it arrives; with `markdown`, one paragraph, list or code block at
   * a time. `false`: prints it when the step has ended.
   *
   * @default true
   */
  readonly stream?: boolean;
  /**
   * Prints a line when a step or a group begins and ends. The run must have been started with `streamEvents`.
   * @default false
   */
  readonly showSteps?: boolean;
  /** Prints a table of each step's metrics at the end. @default false */
  readonly showMetrics?: boolean;
  /** @default process.stdout */
  readonly out?: PrintTarget;
}
