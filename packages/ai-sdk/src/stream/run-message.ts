/**
 * The stream of a run as the chunks of one message.
 *
 * Equal events make an equal message for every reader at any time: no clock, no chance, nothing from outside of the
 * stream but the prompts that are open at its end.
 *
 * @module
 */
import { agentQuestion, resultText, timedOut } from "@millrace/server/door";
import type { FinishReason, UIMessageChunk } from "ai";
import {
  StepRestartedEvent,
  type StreamedEvent,
  WorkflowCancelledEvent,
  type WorkflowEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "millrace";
import { roleOf } from "millrace/engine";
import type { AgentQuestion } from "millrace/wire";
import { AgentParts } from "./agent-parts.js";
import { MessageWriter } from "./message-writer.js";
import { type PipelineWords, pipelineUsage, pipelineWords } from "./pipeline-words.js";
import { Questions } from "./questions.js";
import { ToolCalls } from "./tool-calls.js";

/**
 * What an event of a workflow shows in the message: chunks, or text that continues the text before it; nothing:
 * `undefined`.
 */
export type MapEvent = (streamed: StreamedEvent) => string | UIMessageChunk | readonly UIMessageChunk[] | undefined;

export interface RunMessageOptions {
  readonly map?: MapEvent | undefined;
  /** Text of an error, for readers. */
  readonly errorText: (error: unknown) => string;
}

export class RunMessage {
  readonly #writer: MessageWriter = new MessageWriter();
  readonly #tools: ToolCalls = new ToolCalls(this.#writer);
  readonly #parts: AgentParts = new AgentParts(this.#writer, this.#tools);
  readonly #questions: Questions = new Questions(this.#writer);
  readonly #options: RunMessageOptions;
  /** What an agent of a pipeline has said last. */
  #words: { readonly owner: string; readonly text: string } | null = null;
  /** The run has ended, and with it the message. */
  isOver = false;

  constructor(options: RunMessageOptions) {
    this.#options = options;
  }

  take(streamed: StreamedEvent): UIMessageChunk[] {
    const { event, writer, promptId } = streamed;
    if (this.#parts.calls.take(streamed)) return this.#writer.take();
    if (StepRestartedEvent.is(event)) this.#restart(event, writer);
    else if (promptId !== null) this.#ask(promptId, event);
    else if (!this.#end(streamed)) this.#showMapped(streamed);
    return this.#writer.take();
  }

  /** The run waits for a person: the message ends here for now. */
  pause(openPrompts: ReadonlySet<string>): UIMessageChunk[] {
    this.#questions.close(openPrompts);
    this.#writer.finish("tool-calls");
    return this.#writer.take();
  }

  #ask(promptId: string, event: WorkflowEvent): void {
    const question = agentQuestion(event);
    if (question === null || question.kind === "guard" || isOfPipeline(question)) this.#questions.ask(promptId, event);
    else this.#tools.ask(promptId, question);
  }

  /** Returns `false` for an event that does not end the run. */
  #end({ event, origin }: StreamedEvent): boolean {
    if (origin !== null) return false;
    if (WorkflowFailedEvent.is(event)) this.#fail(event.error);
    else if (WorkflowTimedOutEvent.is(event)) this.#fail(timedOut(event));
    else if (WorkflowCancelledEvent.is(event)) this.#cancel();
    else if (roleOf(event) === "stop") this.#complete(event);
    else return false;
    this.isOver = true;
    return true;
  }

  #complete(event: WorkflowEvent): void {
    const result = resultText(event);
    const isSaid = this.#writer.hasText || result?.trim() === this.#words?.text.trim();
    this.#parts.calls.settle();
    this.#close("The run has ended.");
    if (result !== null && !isSaid) this.#writer.text({ owner: "result", kind: "text", id: "result" }, result);
    const usage = pipelineUsage(event) ?? this.#parts.calls.usage;
    this.#writer.finish(finishReasonOf(this.#parts.calls.finishReason), { usage });
  }

  #fail(error: unknown): void {
    const errorText = this.#options.errorText(error);
    this.#close(errorText);
    this.#writer.fail(errorText, { usage: this.#parts.calls.usage, error: errorText });
  }

  #cancel(): void {
    this.#close("The answer was stopped.");
    this.#writer.abort({ usage: this.#parts.calls.usage, stopped: true });
  }

  #close(reason: string): void {
    this.#tools.close(reason);
    this.#questions.close(new Set());
  }

  #showMapped(streamed: StreamedEvent): void {
    const shown = this.#options.map?.(streamed);
    if (shown === undefined) return this.#showWords(streamed, pipelineWords(streamed.event));
    const owner = ownerOf(streamed);
    if (typeof shown === "string") this.#writer.text({ owner, kind: "text", id: owner }, shown);
    else this.#writer.add(owner, ...(Array.isArray(shown) ? shown : [shown as UIMessageChunk]));
  }

  #showWords(streamed: StreamedEvent, words: PipelineWords | null): void {
    if (words === null) return;
    const owner = ownerOf(streamed);
    const { text, reasoning } = words;
    if (reasoning !== "") this.#writer.text({ owner, kind: "reasoning", id: `${owner}.reasoning` }, reasoning);
    if (text === "") return;
    this.#writer.text({ owner, kind: "text", id: owner, isDraft: true }, text);
    this.#words = { owner, text: (this.#words?.owner === owner ? this.#words.text : "") + text };
  }

  /** What the step had shown outside of calls that are done comes again. */
  #restart({ kept = [] }: StepRestartedEvent, writer = ""): void {
    const owner = this.#writer.owner;
    const [ofWriter, call = ""] = owner?.split(eventMark) ?? [];
    if (owner?.includes(eventMark) && ofWriter === writer && !kept.includes(call)) {
      this.#writer.reset(owner);
      if (this.#words?.owner === owner) this.#words = null;
    }
  }
}

const eventMark = " event ";

const ownerOf = ({ writer = "", call = "" }: StreamedEvent): string => `${writer}${eventMark}${call}`;

/** Calls of agents of a pipeline have no parts in the message: what is asked about them is a form. */
function isOfPipeline(question: AgentQuestion): boolean {
  return "stepId" in question;
}

const reasons: ReadonlySet<string> = new Set(["stop", "length", "content-filter", "tool-calls", "error", "other"]);

function finishReasonOf(reason: string | null): FinishReason {
  return reason !== null && reasons.has(reason) ? (reason as FinishReason) : "stop";
}
