import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";

export interface DialogProps {
  readonly title: ReactNode;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
  /** Buttons. One of `type="submit"` calls `onSubmit`. */
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly onSubmit?: () => void;
}

/** A modal dialog, open for as long as it is rendered. The browser keeps the focus inside and restores it. */
export function Dialog({ title, intro, children, actions, isWide = false, onClose, onSubmit }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit?.();
  };
  // Without `onSubmit` the content may contain its own form.
  const content = (
    <>
      <div className="dh">
        <h2 id={heading}>{title}</h2>
        {intro !== undefined && <p>{intro}</p>}
      </div>
      <div className="db">{children}</div>
      {actions !== undefined && <div className="df">{actions}</div>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className={isWide ? "wide" : ""}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {onSubmit === undefined ? (
        <div>{content}</div>
      ) : (
        <form onSubmit={submit} noValidate>
          {content}
        </form>
      )}
    </dialog>
  );
}
