// A workflow that runs another one as part of itself. `pnpm --filter ./examples child-workflows`
import { type Context, collect, event, many, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Translation extends StartEvent.define("Translation", { word: z.string(), language: z.string() }) {}
class LookedUp extends event("LookedUp", { language: z.string() }) {}
class Trip extends StartEvent.define("Trip", { word: z.string(), languages: z.array(z.string()) }) {}
class Stop extends event("Stop", { word: z.string(), language: z.string() }) {}
class Spoken extends event("Spoken", { text: z.string() }) {}

const dictionary: Record<string, Record<string, string>> = {
  bread: { French: "pain", German: "Brot", Italian: "pane" },
};

export class Translate extends Workflow {
  @step({ on: Translation, emits: StopEvent, streams: LookedUp })
  async lookUp({ word, language }: Translation, ctx: Context) {
    ctx.writeEventToStream(new LookedUp({ language }));
    return new StopEvent({ result: dictionary[word]?.[language] ?? word });
  }
}

export class TripFlow extends Workflow {
  /** What this workflow may run. One snapshot of the parent holds its children too. */
  static children = { translate: Translate };

  @step({ on: Trip, emits: many(Stop) })
  plan({ word, languages }: Trip) {
    return languages.map((language) => new Stop({ word, language }));
  }

  /** The child's result is typed, and it holds no worker while the child runs. */
  @step({ on: Stop, emits: Spoken, workers: 1 })
  async speak({ word, language }: Stop, ctx: Context) {
    const translated = await ctx.runChild(Translate, { word, language });
    return new Spoken({ text: `${translated.toUpperCase()} (${language})` });
  }

  @step({ on: collect(Spoken), emits: StopEvent })
  tell(all: readonly Spoken[]) {
    return new StopEvent({ result: all.map((one) => one.text).join(", ") });
  }
}

if (import.meta.main) {
  const handler = new TripFlow().run({ word: "bread", languages: ["French", "German", "Italian"] });

  // What a child streams bubbles up, with the name of the child it came from.
  for await (const { event, origin } of handler.streamEvents().filter(LookedUp)) {
    console.log(`${origin} looks up ${event.language}`);
  }
  console.log(await handler);
}
