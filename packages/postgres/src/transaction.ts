import { type Lane, nextBatch } from "./lanes.js";
import type { Row, Session } from "./session.js";

/** One transaction. Its statements go out without waiting for each other's answers. */
export class Transaction {
  readonly #session: Session;
  readonly #sent: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | null = null;
  /** From here on, a lost connection leaves open whether it was stored. */
  isCommitting = false;

  constructor(session: Session, lane: Lane) {
    this.#session = session;
    this.#track(session.run(session.begin));
    const { text, values } = nextBatch(lane);
    this.send(text, values);
  }

  /** @throws what went wrong first, if something has. */
  async all(text: string, values: unknown[]): Promise<readonly Row[]> {
    const answer = this.#session.all(text, values);
    this.#track(answer);
    try {
      return await answer;
    } catch (error) {
      throw this.#failure?.error ?? error;
    }
  }

  /** Does not wait: the commit fails when this does. */
  send(text: string, values: unknown[]): void {
    this.#track(this.#session.all(text, values));
  }

  async commit(): Promise<void> {
    this.isCommitting = true;
    const done = this.#session.run("COMMIT");
    this.#track(done);
    await Promise.all(this.#sent);
    if (this.#failure !== null) throw this.#failure.error;
  }

  async rollback(): Promise<void> {
    await Promise.all(this.#sent);
    await this.#session.run("ROLLBACK");
  }

  /** Keeps the first failure: it is the reason of those that follow. */
  #track(answer: Promise<unknown>): void {
    this.#sent.push(
      answer.then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= { error };
        },
      ),
    );
  }
}
