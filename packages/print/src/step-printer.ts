/** Prints what steps do and say, in order of the events. */

import { cleanText } from "./clean-text.js";
import { INTERRUPTED } from "@millrace/pipeline";
import type { StepOutput } from "@millrace/pipeline";
import { isEmptyContent, toText } from "@millrace/executor";
import { LiveText } from "./live-text.js";
import type { PrintedEvent } from "./readable-order.js";
import type { Screen } from "./screen.js";

/** A step from its start to its end. */
interface Turn {
  readonly live: LiveText;
  readonly startedAtMs: number;
  /** `true` when an end event will come. */
  readonly isTold: boolean;
  /** `true` when the step runs again, so that another start event may come. */
  readonly isAgain: boolean;
  /** Output of the step. */
  output: StepOutput | null;
}

export class StepPrinter {
  /** The error of a step, if it was printed last. */
  lastFailure: string | null = null;
  readonly #screen: Screen;
  readonly #turns: Map<string, Turn> = new Map();
  /** Ids of printed steps. */
  readonly #shown: Set<string> = new Set();
  /** Text of the step that spoke last. Its held part is printed above the next text. */
  #live: LiveText | null = null;
  /** The step under whose heading the next text appears. */
  #heading: string | null = null;
  #lastLine: "begins" | "ends" | "other" = "other";
  /** Steps of nested pipelines: the last one's output is the result of its pipeline. */
  readonly #nested: Turn[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  print(event: PrintedEvent): void {
    switch (event.kind) {
      case "begins":
        return this.#begins(event);
      case "iterates":
        return this.#showLine("begins", { depth: event.depth + 1, text: `↻ iteration ${event.iteration}` });
      case "retries":
        return this.#retries(event);
      case "says":
        return this.#says(event);
      case "pauses":
        return this.quiet();
      case "output":
        return this.#output(event, event.output);
      case "ends":
        return this.#ends(event);
      case "fails":
        return this.#fails(event);
    }
  }

  /** Ends the text of the step that spoke last. */
  quiet(): void {
    this.#live?.end();
    this.#live = null;
  }

  /** Prints the output of a step that had no events. */
  printOutput(output: StepOutput): void {
    if (this.#shown.has(output.stepId) || (output.success && this.#isNested(output))) return;
    this.title(output.stepName);
    this.#body(output);
  }

  title(name: string): void {
    this.quiet();
    this.#screen.gap();
    this.#screen.line(this.#screen.terminal.style.bold(`── ${cleanText(name)}`));
    this.#lastLine = "other";
    this.lastFailure = null;
  }

  content(content: unknown): void {
    const { style } = this.#screen.terminal;
    this.quiet();
    this.#lastLine = "other";
    if (isEmptyContent(content)) return this.#screen.line(style.dim("(no content)"));
    const text = cleanText(toText(content)).trimEnd();
    if (typeof content !== "string") return this.#screen.line(text);
    const live = new LiveText(this.#screen);
    live.push(text);
    live.end();
  }

  #begins(event: PrintedEvent & { readonly kind: "begins" }): void {
    const open = this.#turns.get(event.key);
    if (open?.isAgain === true && open.isTold && open.live.said === "") return;
    this.quiet();
    this.#turns.set(event.key, this.#newTurn(event));
    const { style } = this.#screen.terminal;
    const group = event.group === null ? "" : style.dim(`  ${event.group.toLowerCase()}`);
    this.#showLine("begins", { depth: event.depth, text: `▶ ${cleanText(event.name)}${group}` });
    this.#heading = this.#screen.terminal.showSteps && event.group === null ? event.key : null;
  }

  /** Starts the text of the step anew. */
  #retries(event: PrintedEvent & { readonly kind: "retries" }): void {
    const { style } = this.#screen.terminal;
    const { isTold, startedAtMs, live } = this.#turnOf(event);
    const hasSpoken = live.said !== "";
    this.quiet();
    this.#turns.set(event.key, { ...this.#newTurn(event), isTold, isAgain: true, startedAtMs });
    const how = event.attempt > 1 ? `attempt ${event.attempt}` : "begun again";
    if (hasSpoken) this.#screen.line(style.dim(`↻ ${cleanText(event.name)}, ${how}`));
    this.#lastLine = "other";
  }

  #says(event: PrintedEvent & { readonly kind: "says" }): void {
    this.#underHeading(event);
    const { live } = this.#turnOf(event);
    if (this.#live !== live) this.quiet();
    this.#live = live;
    live.push(event.text);
    this.#lastLine = "other";
  }

  #output(event: PrintedEvent, output: StepOutput): void {
    const turn = this.#turnOf(event);
    this.quiet();
    if (!turn.isTold) this.#turns.delete(event.key);
    if (event.stepId !== null) this.#shown.add(event.stepId);
    const isPrinted = turn.output !== null || this.#isSaid(turn.live.said, output);
    turn.output = output;
    if (isPrinted) return;
    this.#underHeading(event);
    this.#body(output);
    if (!turn.isTold) this.#heading = null;
  }

  #ends(event: PrintedEvent & { readonly kind: "ends" }): void {
    const { atMs, output } = event;
    if (output !== null) this.#output(event, output);
    const seconds = output?.metrics?.duration ?? (atMs - this.#turnOf(event).startedAtMs) / 1000;
    this.#leave(event);
    const { style } = this.#screen.terminal;
    const text = `${output?.success === false ? "✗" : "✓"} ${cleanText(event.name)}  ${seconds.toFixed(2)} s`;
    this.#showLine("ends", { depth: event.depth, text: style.dim(text) });
  }

  #fails(event: PrintedEvent & { readonly kind: "fails" }): void {
    const { style } = this.#screen.terminal;
    this.#leave(event);
    if (event.stepId !== null) this.#shown.add(event.stepId);
    if (this.#lastLine === "other") this.#screen.gap();
    this.#screen.line(style.red(`✗ ${cleanText(event.name)}: ${cleanText(event.message)}`));
    this.#lastLine = "ends";
    this.lastFailure = event.message;
  }

  #leave({ key }: PrintedEvent): void {
    this.quiet();
    this.#turns.delete(key);
    this.#heading = null;
  }

  #body(output: StepOutput): void {
    const { style } = this.#screen.terminal;
    if (output.error === INTERRUPTED) this.#cutOff(output);
    else if (!output.success)
      this.#screen.line(style.red(`Failed: ${cleanText(output.error ?? toText(output.content))}`));
    else if (output.skipped) this.#screen.line(style.dim("(skipped)"));
    else this.content(output.content);
    this.#lastLine = "other";
    if (!output.success) this.lastFailure = output.error;
  }

  /** Prints the text that the interrupted step had written. */
  #cutOff({ content }: StepOutput): void {
    if (!isEmptyContent(content)) this.content(content);
    this.#screen.line(this.#screen.terminal.style.dim("(cancelled)"));
  }

  #underHeading({ key, name }: PrintedEvent): void {
    if (this.#heading !== key) this.title(name);
    this.#heading = key;
  }

  #showLine(kind: "begins" | "ends", { depth, text }: { readonly depth: number; readonly text: string }): void {
    if (!this.#screen.terminal.showSteps) return;
    this.quiet();
    if (kind === "begins" && this.#lastLine !== "begins") this.#screen.gap();
    this.#screen.line(`${"  ".repeat(depth)}${text}`);
    this.#lastLine = kind;
    this.lastFailure = null;
  }

  #turnOf(event: PrintedEvent): Turn {
    const turn = this.#turns.get(event.key) ?? this.#newTurn(event);
    this.#turns.set(event.key, turn);
    if (event.stepId !== null && event.kind === "says") this.#shown.add(event.stepId);
    return turn;
  }

  #newTurn({ atMs, kind, nesting }: PrintedEvent): Turn {
    const live = new LiveText(this.#screen);
    const turn: Turn = { live, startedAtMs: atMs, isTold: kind === "begins", isAgain: false, output: null };
    if (nesting > 0) this.#nested.push(turn);
    return turn;
  }

  #isSaid(said: string, output: StepOutput): boolean {
    if (!output.success || output.skipped) return false;
    if (this.#isNested(output)) return true;
    const text = this.#textOf(output);
    return said.trim() !== "" && (said.includes(text) || text === asText(said));
  }

  #isNested(output: StepOutput): boolean {
    if (output.executorType !== "workflow" || isEmptyContent(output.content)) return false;
    const text = this.#textOf(output);
    return this.#nested.some(
      ({ live, output: given }) => live.said.trim() === text || (given !== null && this.#textOf(given) === text),
    );
  }

  #textOf({ content }: StepOutput): string {
    return cleanText(toText(content)).trim();
  }
}

/** Recognizes structured content that was streamed as its JSON text. */
function asText(json: string): string | null {
  try {
    return toText(JSON.parse(json));
  } catch {
    return null; // not JSON
  }
}
