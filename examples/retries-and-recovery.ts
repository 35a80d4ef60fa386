// A step that fails is tried again; what still fails is caught by another step.
// `pnpm --filter ./examples retries-and-recovery`
import {
  type Context,
  catchError,
  event,
  NonRetryableError,
  retryPolicy,
  StartEvent,
  type StepFailedEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import * as z from "zod";

class Forecast extends StartEvent.define("Forecast", { city: z.string() }) {}
class Weather extends event("Weather", { city: z.string(), degrees: z.number(), source: z.string() }) {}

/** Stands for a service on the network: Oslo answers at the third call, Bergen never, and Atlantis does not exist. */
export function createStation() {
  const calls = new Map<string, number>();
  return {
    calls,
    async measure(city: string): Promise<number> {
      const call = (calls.get(city) ?? 0) + 1;
      calls.set(city, call);
      if (city === "Atlantis") throw new NonRetryableError("There is no Atlantis.");
      if (city === "Bergen" || call < 3) throw new Error(`${city} is not reachable.`);
      return 7;
    },
  };
}

export class ForecastFlow extends Workflow {
  readonly #station;
  constructor(station: ReturnType<typeof createStation>) {
    super();
    this.#station = station;
  }

  /** Four attempts: at once, then after 10, 20 and 40 ms. */
  @step({
    on: Forecast,
    emits: Weather,
    retry: retryPolicy({ wait: wait.exponential({ initial: "10ms" }), stop: stop.afterAttempts(4) }),
  })
  async measure({ city }: Forecast, ctx: Context) {
    const { retry } = ctx.retryInfo();
    if (retry > 0) console.log(`${city}: retry ${retry}`);
    return new Weather({ city, degrees: await this.#station.measure(city), source: "measured" });
  }

  /** Called when `measure` has failed for good. */
  @catchError({ steps: ["measure"], emits: Weather })
  guess(ev: StepFailedEvent) {
    console.log(
      `${ev.stepName} gave up after ${ev.attempts} ${ev.attempts === 1 ? "attempt" : "attempts"}: ${(ev.error as Error).message}`,
    );
    const { city } = ev.input as Forecast;
    return new Weather({ city, degrees: 10, source: "guessed" });
  }

  @step({ on: Weather, emits: StopEvent })
  report({ city, degrees, source }: Weather) {
    return new StopEvent({ result: `${city}: ${degrees} °C (${source})` });
  }
}

if (import.meta.main) {
  const station = createStation();
  for (const city of ["Oslo", "Bergen", "Atlantis"]) console.log(await new ForecastFlow(station).run({ city }));
}
