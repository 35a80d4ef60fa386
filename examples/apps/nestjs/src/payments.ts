import { Injectable, Logger } from "@nestjs/common";

/** Your payment provider. One that knows the key pays once, also when a call is repeated after a crash. */
@Injectable()
export class Payments {
  readonly #logger = new Logger(Payments.name);

  async refund(euros: number, idempotencyKey: string): Promise<void> {
    this.#logger.log(`pays ${euros} euros back, key ${idempotencyKey.slice(-8)}`);
  }
}
