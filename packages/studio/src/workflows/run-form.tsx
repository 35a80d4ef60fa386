import { type ReactNode, useState } from "react";
import { type InputAs, InputAsChoice, StartForm } from "../start/start-form.js";
import { Card } from "../ui/page.js";

/** Starts a run of the workflow. */
export function RunForm({ name }: { readonly name: string }): ReactNode {
  const [inputAs, setInputAs] = useState<InputAs>("form");
  const aside = (
    <>
      <span className="grow" />
      <InputAsChoice value={inputAs} onChange={setInputAs} />
    </>
  );
  return (
    <Card title="Run" aside={aside}>
      <StartForm name={name} inputAs={inputAs} button={`Run ${name}`} />
    </Card>
  );
}
