import { quiz } from "../../../examples/tiny.ts";
import type { Show } from "../../.vitepress/theme/mounted.ts";
import { button, element } from "../dom.ts";
import { type Entry, isCommand, Stepper } from "./stepper.ts";

/** The quiz of docs/tiny.md, one step at a time. */
export const showTiny: Show = ({ element: place }) => {
  const [queue, journal] = [element("ol", { class: "queue" }), element("ol", { class: "journal" })];
  const state = element("pre", { class: "state", tabindex: "0", "aria-label": "State of the run" });
  const said = element("p", { class: "said", role: "status" });
  let stepper = begin();

  const buttons = {
    step: button("Step", () => stepper.next()),
    yes: button('Send "yes"', () => stepper.send({ type: "Answer", text: "yes" })),
    no: button('Send "no"', () => stepper.send({ type: "Answer", text: "no" })),
    kill: button("Kill the process", () => stepper.kill()),
    reset: button("Reset", () => {
      stepper = begin();
    }),
  };
  const bar = element("div", { class: "buttons" }, Object.values(buttons));
  bar.addEventListener("click", show);
  place.replaceChildren(
    element("p", { text: "The same run, one thing at a time. Kill its process wherever you like." }),
    bar,
    said,
    element("div", { class: "columns" }, [
      column("Queue: what comes next", queue),
      column("State: all that is stored", state),
      column("Events: what happened", journal),
    ]),
  );
  show();
  return () => {};

  function begin(): Stepper {
    const made: Stepper = new Stepper(quiz, () => {
      if (made === stepper) show();
    });
    return made;
  }

  function show(): void {
    queue.replaceChildren(...stepper.queue.map(lineOf));
    journal.replaceChildren(...stepper.journal.map(lineOf));
    state.textContent = JSON.stringify(stepper.state, null, 2);
    said.textContent = whatNow(stepper);
    const isOver = stepper.state.result !== null;
    buttons.step.disabled = stepper.queue.length === 0;
    for (const one of [buttons.yes, buttons.no, buttons.kill]) one.disabled = isOver;
  }
};

function whatNow({ queue, state }: Stepper): string {
  const [next] = queue;
  if (next !== undefined) return isCommand(next) ? `Next: perform ${next.type}.` : `Next: reduce ${next.type}.`;
  if (state.result !== null) return `The run has finished: ${String(state.result.value)}.`;
  return "The run waits for an answer: send one, or kill the process first.";
}

function column(title: string, content: HTMLElement): HTMLElement {
  return element("section", {}, [element("h4", { text: title }), content]);
}

function lineOf(entry: Entry): HTMLElement {
  const { type, ...rest } = entry;
  return element("li", {}, [element("b", { text: type }), element("span", { text: ` ${JSON.stringify(rest)}` })]);
}
