import { type InputHTMLAttributes, type ReactNode, useId } from "react";

export interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly isOptional?: boolean;
  readonly onText: (text: string) => void;
}

/** One line of text with its label. */
export function TextField({ label, isOptional = false, onText, ...rest }: TextFieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isOptional && <span className="req">optional</span>}
      </label>
      <input {...rest} type="text" id={id} onChange={(event) => onText(event.target.value)} />
    </div>
  );
}
