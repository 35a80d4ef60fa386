/**
 * Every open question to a person, the oldest first: read once, then kept up to date by the stream of changes.
 *
 * @module
 */
import type { ClientError, PendingPrompt, RunSummary } from "@millrace/client";
import { client, toClientError } from "../api/client.js";
import { onRunChanges } from "../api/run-changes.js";
import { promptsOf } from "../api/run-facts.js";
import { createStore, type Store } from "../store.js";

export interface OpenQuestion {
  /** Unique among all open questions. */
  readonly key: string;
  readonly runId: string;
  readonly workflow: string;
  readonly prompt: PendingPrompt;
}

export interface InboxView {
  readonly questions: readonly OpenQuestion[];
  readonly isLoading: boolean;
  /** There are more than are read. */
  readonly hasMore: boolean;
  readonly error: ClientError | null;
}

const PAGE = 200;
const MOST = 2_000;
/** Hundreds of runs may change in a second: they are shown together. */
const TOGETHER_MS = 100;

export class InboxList {
  readonly view: Store<InboxView> = createStore<InboxView>({
    ...{ questions: [], isLoading: true, hasMore: false, error: null },
  });
  readonly #runs: Map<string, readonly OpenQuestion[]> = new Map();
  /** Answered here: the run may still show them for a moment. */
  readonly #answered: Set<string> = new Set();
  readonly #stop: AbortController = new AbortController();
  #hasMore = false;
  #timer = 0;

  /** Reads and follows until the returned function is called. */
  start(): () => void {
    const unfollow = onRunChanges({
      onChanged: (run) => this.#take(run.handlerId, questionsOf(run)),
      onGone: (id) => this.#take(id, []),
      onMissed: () => void this.#read(),
    });
    void this.#read();
    return () => {
      unfollow();
      this.#stop.abort();
      window.clearTimeout(this.#timer);
    };
  }

  answered(key: string): void {
    this.#answered.add(key);
    this.#show();
  }

  async #read(): Promise<void> {
    const { signal } = this.#stop;
    try {
      const found = new Map<string, readonly OpenQuestion[]>();
      this.#hasMore = false;
      for await (const run of client.eachRun({ waiting: true, order: "oldest", pageSize: PAGE, signal })) {
        if (found.size >= MOST) {
          this.#hasMore = true;
          break;
        }
        const questions = questionsOf(run);
        if (questions.length > 0) found.set(run.handlerId, questions);
      }
      this.#runs.clear();
      for (const [id, questions] of found) this.#runs.set(id, questions);
      this.#show();
    } catch (error) {
      if (!signal.aborted) this.view.set({ ...this.view.get(), isLoading: false, error: toClientError(error) });
    }
  }

  #take(id: string, questions: readonly OpenQuestion[]): void {
    if (questions.length > 0) this.#runs.set(id, questions);
    else if (!this.#runs.delete(id)) return;
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.#show();
    }, TOGETHER_MS);
  }

  #show(): void {
    const open = [...this.#runs.values()].flat().filter(({ key }) => !this.#answered.has(key));
    open.sort((one, other) => askedAt(one) - askedAt(other) || (one.key < other.key ? -1 : 1));
    this.view.set({ questions: open, isLoading: false, hasMore: this.#hasMore, error: null });
  }
}

function askedAt({ prompt }: OpenQuestion): number {
  return prompt.askedAtMs ?? 0;
}

function questionsOf(run: RunSummary): OpenQuestion[] {
  const { handlerId: runId, workflow } = run;
  return promptsOf(run).map((prompt) => ({ key: JSON.stringify([runId, prompt.promptId]), runId, workflow, prompt }));
}
