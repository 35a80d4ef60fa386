/** Light, dark, or the setting of the system. */
import { ofBrowser } from "../browser-memory.js";
import { createStore, type Store } from "../store.js";

export type Theme = "auto" | "light" | "dark";
export const themes: readonly Theme[] = ["auto", "light", "dark"];

const key = "millrace.theme";

export const theme: Store<Theme> = createStore<Theme>(stored());

function stored(): Theme {
  const value = ofBrowser.get(key);
  return themes.find((name) => name === value) ?? "auto";
}

export function applyTheme(): void {
  const value = theme.get();
  if (value === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = value;
}

export function setTheme(value: Theme): void {
  ofBrowser.set(key, value);
  theme.set(value);
  applyTheme();
}
