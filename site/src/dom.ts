/** Makes elements: as much as two small pages need. */
export interface Attributes {
  readonly class?: string;
  readonly text?: string;
  readonly [attribute: `aria-${string}` | `data-${string}`]: string;
  readonly role?: string;
  readonly tabindex?: string;
  readonly href?: string;
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  { text, ...attributes }: Attributes = {},
  children: readonly Node[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

export function button(text: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", { text });
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}
