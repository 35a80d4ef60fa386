import type { Show } from "../../.vitepress/theme/mounted.ts";
import { button, element } from "../dom.ts";
import { compile } from "./compile.ts";
import { openEditor } from "./editor.ts";
import { Execution } from "./execution.ts";
import { openedRun } from "./modules.ts";
import { Output } from "./output.ts";

interface Program {
  readonly name: string;
  readonly code: string;
}

/** An editor, what its program prints, and what its workflows do. */
export const showPlayground: Show = ({ element: place, addressOf }) => {
  const output = new Output(addressOf);
  const choice = element("select", { "aria-label": "Example" });
  const runButton = button("Run", () => void run());
  const stopButton = button("Stop", () => stop("Stopped."));
  const file = element("input", { "aria-label": "Open a run" });
  const code = element("div", { class: "editor" });
  place.replaceChildren(
    element("div", { class: "buttons" }, [
      choice,
      runButton,
      stopButton,
      element("label", { class: "file", text: "Open a run " }, [file]),
      output.status,
    ]),
    element("div", { class: "columns" }, [code, output.element]),
  );
  const editor = openEditor(code, () => void run());
  let execution: Execution | null = null;
  /** A program that was compiling when another one was started is not run. */
  let started = 0;
  /** JSON of the opened run file. */
  let opened: string | null = null;

  file.type = "file";
  file.addEventListener("change", () => void openRun());
  stopButton.disabled = true;
  void offerPrograms();
  return () => {
    end();
    editor.destroy();
  };

  async function offerPrograms(): Promise<void> {
    const programs: readonly Program[] = await (await fetch(addressOf("/playground/programs.json"))).json();
    const show = () => {
      stop("");
      output.clear();
      editor.text = programs[choice.selectedIndex]?.code ?? "";
    };
    choice.replaceChildren(...programs.map(({ name }) => element("option", { text: name })));
    choice.addEventListener("change", show);
    show();
  }

  /** The file stays in this page. */
  async function openRun(): Promise<void> {
    const [given] = file.files ?? [];
    if (given === undefined) return;
    const { readRunFile } = await import("@millrace/client/run-file");
    try {
      const read = await readRunFile(new Uint8Array(await given.arrayBuffer()));
      opened = JSON.stringify(read);
      output.status.textContent = `${openedRun} is the run ${read.handler.handler_id} of ${read.handler.workflow_name}.`;
    } catch (error) {
      output.print("error", error instanceof Error ? error.message : String(error));
    }
  }

  async function run(): Promise<void> {
    end();
    const turn = ++started;
    output.clear();
    output.status.textContent = "Compiling …";
    stopButton.disabled = false;
    const compiled = await compile(editor.text, { addressOf, run: opened }).catch((error: unknown) => {
      return { type: "refused", messages: [`The compiler could not be loaded: ${String(error)}`] } as const;
    });
    if (turn !== started) return;
    if (compiled.type === "refused") {
      for (const message of compiled.messages) output.print("error", message);
      return stop("The program does not compile.");
    }
    output.status.textContent = "Running …";
    execution = new Execution(compiled.code, addressOf, {
      onMessage: (message) => {
        if (message.type === "finished") output.status.textContent = output.hasFailed ? "Failed." : "Finished.";
        else if (!output.show(message)) stop("Stopped: the program prints too much.");
      },
      onStuck: (ms) => {
        output.print("error", `The program has not paused for ${ms / 1000} seconds: is there an endless loop?`);
        stop("Stopped: endless loop.");
      },
    });
  }

  function stop(why: string): void {
    end();
    output.status.textContent = why;
    stopButton.disabled = true;
  }

  function end(): void {
    started++;
    execution?.stop();
    execution = null;
  }
};
