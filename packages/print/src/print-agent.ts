/** Prints a run of an agent or a team outside of pipelines. */
import { cleanText } from "./clean-text.js";
import type { StepMetricsData } from "@millrace/pipeline";
import { isEmptyContent, toText } from "@millrace/executor";
import { LiveText } from "./live-text.js";
import { metricsTable } from "./metrics-table.js";
import { Screen } from "./screen.js";
import { openTerminal, type PrintOptions, type Terminal } from "./terminal.js";

/** An agent or a team of `@millrace/agents` that streams its events. */
export interface StreamingAgent<RunOptions, Event extends { readonly event: string }> {
  readonly kind: "agent" | "team";
  readonly name: string;
  stream(input: unknown, options?: RunOptions): AsyncIterable<Event>;
}

interface AgentEvent {
  readonly event: string;
  /** Run id of the team, in the events of a member. */
  readonly parentRunId?: string | null;
  readonly [field: string]: unknown;
}

/**
 * Runs an agent or a team and prints its text while it arrives, below the input. Returns the last event, which has the
 * content or the questions to a person.
 *
 * @param options Options of the run and of printing. `showSteps` prints a line for each tool call.
 * @throws {WorkflowError} the error of the run, after printing it; `OPTION_INVALID` when `markdown` is true and
 * `markdansi` is not installed.
 */
export async function printAgentResponse<RunOptions extends object, Event extends { readonly event: string }>(
  agent: StreamingAgent<RunOptions, Event>,
  input: unknown,
  options?: RunOptions & PrintOptions,
): Promise<Event> {
  const { markdown, stream, showSteps, showMetrics, out, ...ofRun } = (options ?? {}) as PrintOptions;
  const terminal = await openTerminal(options ?? {});
  const printer = new AgentPrinter(terminal, agent);
  printer.begin(input);
  try {
    for await (const event of agent.stream(input, ofRun as RunOptions)) printer.print({ ...event });
  } catch (error) {
    printer.fail(error);
    throw error;
  }
  return printer.end() as unknown as Event;
}

type Named = Pick<StreamingAgent<object, AgentEvent>, "kind" | "name">;

class AgentPrinter {
  readonly #screen: Screen;
  readonly #agent: Named;
  readonly #live: LiveText;
  #last: AgentEvent = { event: "none" };

  constructor(terminal: Terminal, agent: Named) {
    this.#screen = new Screen(terminal);
    this.#agent = agent;
    this.#live = new LiveText(this.#screen);
  }

  begin(input: unknown): void {
    this.#screen.title(this.#agent.name);
    this.#screen.input(input);
    this.#screen.gap();
  }

  /** Ignores events of members: their text is for the team. */
  print(event: AgentEvent): void {
    if (typeof event.parentRunId === "string") return;
    this.#last = event;
    const { showSteps, stream, style } = this.#screen.terminal;
    const kind = event.event.replace(/^Team/, "");
    if (kind === "RunContent" && stream && typeof event["content"] === "string") this.#live.push(event["content"]);
    if (kind !== "ToolCallStarted" || !showSteps) return;
    this.#live.end();
    const { toolName } = event["tool"] as { readonly toolName: string };
    this.#screen.line(style.dim(`▶ ${cleanText(toolName)}`));
  }

  fail(error: unknown): void {
    const { style } = this.#screen.terminal;
    this.#live.end();
    const message = error instanceof Error ? error.message : String(error);
    this.#screen.line(style.red(`✗ ${cleanText(this.#agent.name)}: ${cleanText(message)}`));
  }

  end(): AgentEvent {
    const { content, requirements } = this.#last;
    if (!isEmptyContent(content) && !this.#isSaid(toText(content))) this.#live.push(toText(content));
    this.#live.end();
    const calls = (requirements ?? []) as readonly { readonly toolName: string }[];
    const names = calls.map(({ toolName }) => cleanText(toolName)).join(", ");
    if (names !== "") this.#screen.line(`It is paused, and waits for permission to call ${names}.`);
    this.#printMetrics(this.#last["metrics"] as StepMetricsData | undefined);
    return this.#last;
  }

  #isSaid(text: string): boolean {
    return this.#live.said.includes(cleanText(text).trim());
  }

  #printMetrics(metrics: StepMetricsData | undefined): void {
    if (!this.#screen.terminal.showMetrics || metrics === undefined) return;
    const { kind, name } = this.#agent;
    const step = { stepName: name, executorType: kind, executorName: null, metrics, executions: [] };
    const table = metricsTable({ duration: metrics.duration, steps: { [name]: step } }, this.#screen.terminal);
    this.#screen.gap();
    for (const line of table) this.#screen.line(line);
  }
}
