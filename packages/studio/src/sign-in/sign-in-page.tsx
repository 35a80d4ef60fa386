import { type FormEvent, type ReactNode, useId, useState } from "react";
import { signIn, token } from "../api/credentials.js";
import { BrandMark } from "../shell/shell.js";
import { Button } from "../ui/controls.js";

/** Asks for the token that the server requires. It stays in this tab. */
export function SignInPage(): ReactNode {
  const [given, setGiven] = useState("");
  const id = useId();
  const wasRefused = token.get() !== null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (given.trim() !== "") signIn(given.trim());
  };
  return (
    <main className="signin" id="main">
      <form className="panel form" onSubmit={submit} noValidate>
        <h1 className="brand">
          <BrandMark />
          Sign in
        </h1>
        <p className="ink2">This server asks for a token. It is kept in this tab, and forgotten with it.</p>
        <div className="field">
          <label htmlFor={id}>Token</label>
          <input
            id={id}
            type="password"
            value={given}
            autoComplete="off"
            aria-invalid={wasRefused}
            aria-describedby={`${id}-error`}
            onChange={(event) => setGiven(event.target.value)}
          />
          <span className="err" id={`${id}-error`} role="alert">
            {wasRefused && "The server has refused the token."}
          </span>
        </div>
        <Button type="submit" kind="primary" disabled={given.trim() === ""}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
