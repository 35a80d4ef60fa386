import type { ToolCallMessagePartProps } from "@assistant-ui/react";

/** A call of a tool. One that waits for a person has two buttons. */
export function Tool({ toolName, args, result, approval, respondToApproval }: ToolCallMessagePartProps) {
  if (approval === undefined || approval.approved !== undefined || result !== undefined) return <i>{toolName}</i>;
  return (
    <fieldset>
      <legend>{`${toolName} ${JSON.stringify(args)}`}</legend>
      <button onClick={() => respondToApproval({ approved: true })}>Allow</button>
      <button onClick={() => respondToApproval({ approved: false })}>Refuse</button>
    </fieldset>
  );
}
