/** Where to print: `process.stdout` has this shape. */
export interface PrintTarget {
  write(text: string): unknown;
  /** Colours, and Markdown if nothing else is said. */
  readonly isTTY?: boolean;
  /** Where rendered Markdown wraps. @default 80 */
  readonly columns?: number;
}

export interface PrintOptions {
  /**
   * Renders the Markdown of texts. Needs the package `markdansi`: without it a terminal gets the text as it is.
   *
   * @default true in a terminal, else false
   */
  readonly markdown?: boolean;
  /**
   * Prints what agents, teams and generators say while they say it: as it comes, with `markdown` a paragraph, list or
   * code block at a time. Else when the step has ended.
   *
   * @default true
   */
  readonly stream?: boolean;
  /** Prints a line when a step or a group begins and ends. The run has to be started with `streamEvents`. @default false */
  readonly showSteps?: boolean;
  /** Prints a table of what each step took, at the end. @default false */
  readonly showMetrics?: boolean;
  /** @default process.stdout */
  readonly out?: PrintTarget;
}
