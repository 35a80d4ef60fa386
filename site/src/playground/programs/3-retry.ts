import { retryPolicy, StartEvent, StopEvent, step, stop, Workflow, wait } from "millrace";

let calls = 0;

class Flaky extends Workflow {
  @step({
    on: StartEvent,
    emits: StopEvent,
    retry: retryPolicy({ stop: stop.afterAttempts(5), wait: wait.fixed("300ms") }),
  })
  async ask() {
    if (++calls < 3) throw new Error(`no answer to call ${calls}`);
    return new StopEvent({ result: `answered after ${calls} calls` });
  }
}

console.log(await new Flaky().run());
