/** The pages of links: a form, and what came of it. They need no script, and load nothing. */
import { html, raw } from "hono/html";
import type { Issue } from "../http/http-error.js";
import type { FormField, FormTexts } from "./form.js";

type Html = ReturnType<typeof html>;

export interface FormPage {
  readonly title: string;
  /** Text, or a value that is shown as JSON; undefined for none. */
  readonly details: unknown;
  readonly fields: readonly FormField[];
  /** What was entered before. */
  readonly texts: FormTexts;
  readonly issues: readonly Issue[];
}

export async function formPage({ title, details, fields, texts, issues }: FormPage, status = 200): Promise<Response> {
  const content = html`
    <h1>${title}</h1>
    ${details === undefined ? "" : detailsOf(details)}
    ${issues.length === 0 ? "" : problems(issues)}
    <form method="post">
      ${fields.map((field) => row(field, texts[field.name] ?? field.value))}
      <button>Send</button>
    </form>`;
  return page(title, content, status);
}

/** @param detail One or more sentences. */
export async function messagePage(title: string, detail: string, status = 200): Promise<Response> {
  return page(title, html`<h1>${title}</h1><p>${detail}</p>`, status);
}

function detailsOf(details: unknown): Html {
  return typeof details === "string"
    ? html`<p class="details">${details}</p>`
    : html`<pre>${JSON.stringify(details, null, 2)}</pre>`;
}

function problems(issues: readonly Issue[]): Html {
  return html`<ul role="alert">${issues.map(({ path, message }) => html`<li>${path === "" ? "" : `${path}: `}${message}</li>`)}</ul>`;
}

function row(field: FormField, value: string): Html {
  const { name, label, description, kind } = field;
  const about = description === undefined ? "" : html`<small id="about ${name}">${description}</small>`;
  const described = description === undefined ? "" : html` aria-describedby="about ${name}"`;
  if (kind === "boolean" || kind === "choice") {
    const choices =
      kind === "boolean"
        ? [
            ["true", "Yes"],
            ["false", "No"],
          ]
        : field.choices.map((one) => [one, one]);
    return html`<fieldset><legend>${label}</legend>${about}${choices.map(
      ([text, shown]) =>
        html`<label><input type="radio" name="${name}" value="${text}"${checked(text === value)}${required(field)}> ${shown}</label>`,
    )}</fieldset>`;
  }
  const control =
    kind === "text" || kind === "json"
      ? html`<textarea name="${name}" rows="3"${described}${required(field)}>${value}</textarea>`
      : html`<input name="${name}" type="${kind}" step="any" value="${value}"${described}${required(field)}>`;
  const unit = kind === "json" ? " (JSON)" : kind === "datetime-local" ? " (UTC)" : "";
  return html`<label>${label}${unit}${about}${control}</label>`;
}

const checked = (isChecked: boolean): Html | string => (isChecked ? raw(" checked") : "");
const required = ({ isRequired, kind }: FormField): Html | string =>
  isRequired && kind !== "text" ? raw(" required") : "";

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{max-width:36rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.4rem}
pre{overflow:auto;padding:.75rem;border:1px solid #8886;border-radius:.5rem}
.details{white-space:pre-wrap}
label,fieldset{display:block;margin:1rem 0}
fieldset{border:1px solid #8886;border-radius:.5rem}
fieldset label{margin:.25rem 0}
small{display:block;opacity:.75}
textarea,input:not([type=radio]){display:block;box-sizing:border-box;width:100%;font:inherit;padding:.5rem;border:1px solid #888;border-radius:.4rem}
[role=alert]{padding:.75rem .75rem .75rem 2rem;border:2px solid #c33;border-radius:.5rem}
button{font:inherit;padding:.6rem 1.5rem;border:0;border-radius:.4rem;background:#1a56db;color:#fff}`;

/** Nothing is loaded, the form is sent here only, and the address, which is a credential, is not sent anywhere. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "cache-control": "no-store",
};

async function page(title: string, content: Html, status: number): Promise<Response> {
  const whole = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(style)}</style>
<main>${content}</main>
</html>`;
  return new Response(String(await whole), { status, headers });
}
