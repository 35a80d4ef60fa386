/** Buttons, switches and choices of one of a few. */
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { grouped } from "./format.js";
import { Icon, type IconName } from "./icon.js";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "plain" | "primary" | "ghost";
  readonly icon?: IconName;
  readonly isSmall?: boolean;
}

/** A button without children has to have an `aria-label`. */
export function Button({
  kind = "plain",
  icon,
  isSmall = false,
  className = "",
  children,
  ...rest
}: ButtonProps): ReactNode {
  const classes = [
    "btn",
    kind === "plain" ? "" : kind,
    isSmall ? "sm" : "",
    children === undefined ? "icon" : "",
    className,
  ];
  return (
    <button type="button" className={classes.filter(Boolean).join(" ")} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly count?: number | undefined;
}

export interface SegmentedProps<Value extends string> {
  /** What is chosen, for those who do not see it. */
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export function Segmented<Value extends string>({ label, choices, value, onChange }: SegmentedProps<Value>): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row in every browser
    <div className="seg" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
          {choice.count !== undefined && <span className="c num">{grouped(choice.count)}</span>}
        </button>
      ))}
    </div>
  );
}

export interface SwitchProps {
  readonly children: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly className?: string;
}

export function Switch({ children, isOn, onChange, className = "" }: SwitchProps): ReactNode {
  return (
    <label className={`switch ${className}`}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  );
}
