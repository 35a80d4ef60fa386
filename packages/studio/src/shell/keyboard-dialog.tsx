import { Fragment, type ReactNode } from "react";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [["J", "K"], "next, previous run (list), question (inbox) or tick (run)"],
  [["Enter"], "open the run"],
  [["←", "→"], "one tick back, forward; with Shift ten"],
  [["Home", "End"], "first tick; back to now"],
  [["Space"], "play, pause"],
  [["N", "⇧N"], "next, previous failure or question"],
  [["G", "T", "L", "S"], "go to graph, timeline, log, data and state"],
  [["F"], "fork from this tick"],
  [["A"], "answer the open prompt"],
  [["X"], "select a run (list) or a question (inbox)"],
  [["Y", "N"], "yes, no to the question (inbox)"],
  [["/"], "search"],
  [["Ctrl", "K"], "go to a run, a workflow or a page"],
  [["Esc"], "unselect the step; leave a field"],
  [["?"], "this list"],
];

export function KeyboardDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard" onClose={onClose} onSubmit={onClose} actions={<Button type="submit">Close</Button>}>
      <div className="keys">
        {keys.map(([names, what]) => (
          <Fragment key={what}>
            <span className="row">
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </span>
            <span className="ink2">{what}</span>
          </Fragment>
        ))}
      </div>
    </Dialog>
  );
}
